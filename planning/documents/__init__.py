"""What people sign, read and file: text in which every figure says where it is from."""
