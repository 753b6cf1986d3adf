"""Claimscope: how far a claim about an AI system may go."""

__version__ = "0.1.0"
