"""Mathematics: arrays in, frozen dataclasses out."""
