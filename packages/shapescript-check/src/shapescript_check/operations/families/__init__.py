"""Classes that near relatives among the operations share."""
