"""Operations that are written as an operator only, and have no name to call them by."""
