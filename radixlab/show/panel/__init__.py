"""The playground: a panel on which operations are tried on a tree."""
