"""Questions for a cloud: quota, offers and capacity before a stack starts, orphaned resources after it."""
