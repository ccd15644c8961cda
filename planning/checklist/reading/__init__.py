"""From a checklist's file to the frozen model, or to every fault in it with its place."""
