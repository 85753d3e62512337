"""Raises what is no Exception while it is being imported."""

raise GeneratorExit
