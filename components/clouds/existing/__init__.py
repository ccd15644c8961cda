"""A cluster that is already there: `builder` checks it and installs into it, and makes no machine."""
