"""Bills of clouds and allocations of OpenCost, read into FOCUS columns."""
