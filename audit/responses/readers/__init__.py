"""One module per log format; each yields rows and losses, intake alone judges."""
