"""An existing cluster: `builder` checks it and installs into it, and creates no machine."""
