"""Is the reference of the installed package under another name."""

from radixlab.chapters.ds07.reference import *  # noqa: F403
from radixlab.chapters.ds07.reference import ROOT, RadixTree, common_runs  # noqa: F401
