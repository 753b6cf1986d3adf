"""One door per step of the path: read files, call one function, write whole files or none."""
