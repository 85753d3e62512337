"""Never calls the tree."""


def attack():
    assert [1, 2][:1] == [1]
