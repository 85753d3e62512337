"""Pretends that the user interrupts the import."""

raise KeyboardInterrupt
