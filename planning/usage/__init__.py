"""What was really used and paid: bills in FOCUS columns, and the ranges that they give a checklist."""
