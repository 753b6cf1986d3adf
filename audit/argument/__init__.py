"""Claim, criterion, threat, verdict: one pure function decides."""
