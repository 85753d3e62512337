"""The radix tree for real use: the tree of chapter ds.07 with keys as bytes, trimming, sizes and namespaces.

The code is `radixlab/chapters/ds07/variants/fast.py`, where it is also one of the correct trees of the chapter.

>>> from array import array
>>> tree = RadixTree(granule=2)
>>> prompt = array("I", [11, 12, 13, 14])
>>> leaf, handed_back = tree.insert(prompt, ["block 0", "block 1"])
>>> tokens, path = tree.match_prefix([11, 12, 99, 98])
>>> tokens, [tree.values(node) for node in path]
(2, [['block 0']])
"""

from radixlab.chapters.ds07.variants.fast import ROOT, NodeId, RadixTree

__all__ = ["ROOT", "NodeId", "RadixTree"]
