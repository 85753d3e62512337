"""Renderers of a report: each shows it, none decides anything."""
