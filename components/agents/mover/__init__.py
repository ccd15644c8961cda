"""The program that copies objects between buckets and proves the copy; it runs here and in a pod."""
