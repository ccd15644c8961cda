"""What was really used and paid: cloud bills and OpenCost in FOCUS columns, and the ranges they give a checklist."""
