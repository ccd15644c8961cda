"""What moves objects and proves it: standard library only, for it runs in a pod as it runs here."""
