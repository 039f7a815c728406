"""msprobe's habits: the files that name what corresponds, and what its own compare has found."""
