"""Charts: one module each, from rows of the bundle to SVG text at final size."""
