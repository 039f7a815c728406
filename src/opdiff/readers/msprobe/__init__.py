"""What msprobe dumps, and the file that its own compare takes."""
