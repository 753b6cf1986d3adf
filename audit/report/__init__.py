"""Wording, rounding, charts and pages; nothing here computes."""
