"""A relocation as it is run: data and cutover from one stack to another, in steps that can be resumed or undone."""
