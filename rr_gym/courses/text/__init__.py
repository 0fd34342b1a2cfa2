"""Read and write boards and layouts as text: the grammar of words, boards, layouts, and courses."""
