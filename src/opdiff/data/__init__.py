"""Data that ships with the program: the table of op names that do the same job."""
