"""Pages of docs/reference that set published runs beside our estimates."""
