"""Programs of several files: what an import brings in, under which names, and functions for types that calls say."""
