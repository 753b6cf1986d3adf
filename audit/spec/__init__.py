"""The declared language: models, strict YAML with positions, cross-field checks, plan."""
