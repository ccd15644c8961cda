"""Service levels: availability of a month against the promise, and the service credits that follow."""
