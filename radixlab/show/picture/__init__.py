"""Drawings as Graphviz makes them: what a card, a strip and a graph are made of, and how they are rendered."""
