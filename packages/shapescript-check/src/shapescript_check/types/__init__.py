"""What the checker knows of a value: its axes, its dtype, and which values its elements may have."""
