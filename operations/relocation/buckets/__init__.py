"""The buckets of a relocation: made, checked, tried with a write, and copied by rclone where that is asked for."""
