"""The typed tree, which checking a body gives and everything after it reads."""
