"""Packages with .ss files: made, built, and told from those that a newer compiler built."""

from __future__ import annotations
