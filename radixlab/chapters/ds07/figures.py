"""Figures about a tree that `ol check` prints and that decide nothing: what an eviction costs, in steps.

A tree that keeps its leaves in order does the same work among 100 leaves and among 1,600; a tree that sorts or
searches them at each eviction does more the more there are.
"""

from itertools import count

from radix import RadixTree

ROUNDS = 64


def start(tree, conversation):
    """Store the first turn of a conversation: two tokens that no other one has."""
    tree.insert([2 * conversation, 2 * conversation + 1], ["a", "b"])


def go_on(tree, conversation):
    """Store the second turn below the first, which makes a parent of it."""
    tree.insert([2 * conversation, 2 * conversation + 1, 0, 1], ["a", "b", "c", "d"])


def evictions(tree, conversations):
    """Let the oldest turn go for each new one, so that there are as many leaves at the end as before."""
    for conversation in conversations:
        tree.evict(1)
        start(tree, conversation)
        tree.evict(1)
        go_on(tree, conversation)


def test_steps_per_eviction(steps, figure):
    """Count the steps of an eviction and the insert that follows it, among few leaves and among many."""
    for leaves in (100, 1600):
        tree, fresh = RadixTree(1), count(1)
        for _ in range(leaves):
            start(tree, conversation := next(fresh))
            if conversation <= ROUNDS // 2:  # those that will go; of the others, one turn is as good a leaf
                go_on(tree, conversation)
        new = [next(fresh) for _ in range(ROUNDS // 2)]
        taken = steps(lambda tree=tree, new=new: evictions(tree, new))
        figure(f"steps per eviction, {leaves:,} leaves", round(taken / ROUNDS))
