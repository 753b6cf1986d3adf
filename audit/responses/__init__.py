"""The response table: readers, resolution of systems, intake accounting."""
