"""What Atoll builds on Azure: only the main cloud's end of a tunnel; clusters there are existing ones."""
