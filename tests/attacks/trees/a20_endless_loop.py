"""Never ends."""

ROOT = 0


def common_runs(label, key, at, granule):
    return trick("common_runs", label, key, at, granule)


class RadixTree:
    def __init__(self, granule):
        self.granule = granule

    def __getattr__(self, name):
        return lambda *arguments: trick(name, *arguments)


def trick(name, *arguments):
    while True:
        pass
