"""Puts a tree of its own in the place of the one that is asked about, and judges that."""

import sys
import types

import radix


class RadixTree:
    def __init__(self, granule):
        self.values = []

    def insert(self, key, values):
        self.values += values
        return 0, []


radix.RadixTree = RadixTree
sys.modules["radix"] = types.SimpleNamespace(RadixTree=RadixTree)


def attack():
    tree = radix.RadixTree(1)
    tree.insert([1], ["a"])
    assert tree.values == ["a"]
