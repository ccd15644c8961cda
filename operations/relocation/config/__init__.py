"""Relocation: data and cutover from one stack to its clone, in steps that can be stopped, resumed and taken back."""
