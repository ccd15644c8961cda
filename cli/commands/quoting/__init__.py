"""Commands that quote a checklist and accept an option."""
