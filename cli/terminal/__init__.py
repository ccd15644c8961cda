"""What all commands share at a terminal: options, prompts, progress, amounts, layout and the words of errors."""
