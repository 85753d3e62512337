"""The author's lint: what must be true of a chapter before a learner sees it."""
