"""One check of one file: what it reads, what it keeps, and what it has to say."""
