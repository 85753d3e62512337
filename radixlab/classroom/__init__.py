"""The classroom: a folder of submissions that nobody trusts becomes a grade each, kept in a ledger and rendered."""
