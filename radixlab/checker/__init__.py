"""The checker: runs test files against subjects, and grades a learner's own tests by the bugs they catch."""
