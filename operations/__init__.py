"""Work on the outside world: engine, clouds, clusters, stores, code hosts. Nothing here prints; results are values."""
