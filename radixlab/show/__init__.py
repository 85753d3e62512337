"""Ways to look at a tree, all through its public face, so that a half-written or wrong tree can be shown as well."""
