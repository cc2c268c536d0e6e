"""Plans: what follows from typed bodies and no single expression says, such as where a function runs."""
