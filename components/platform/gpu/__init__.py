"""The software of the GPU layer: operators, device plugins and the metrics exporter."""
