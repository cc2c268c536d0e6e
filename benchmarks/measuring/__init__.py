"""How the benchmarks time things so that what else the machine does falls on all of them alike."""
