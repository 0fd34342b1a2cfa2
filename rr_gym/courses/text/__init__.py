"""Read and write boards, layouts and courses as text."""
