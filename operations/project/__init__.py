"""The project on disk: where things are, atomic files, configuration, journal, locks, signals."""
