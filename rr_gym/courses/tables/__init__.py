"""What kernels read of a course: flat tables of numbers, compiled from the layout."""
