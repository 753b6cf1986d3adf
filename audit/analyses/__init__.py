"""One module per question that evidence answers."""
