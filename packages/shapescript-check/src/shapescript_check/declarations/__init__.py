"""What a file declares, as the rest of the program sees it."""
