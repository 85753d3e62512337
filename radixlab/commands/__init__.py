"""The commands of `ol`, a module each; each module's `command` is what is called."""
