"""Checking bodies: from the syntax tree of a function to its typed tree."""
