"""Operations that have a syntax of their own rather than a name to call: indexing, `causal[n m]`, `to`."""
