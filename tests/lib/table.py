"""What `nsm run` writes as CSV, by columns. Of long runs few columns are looked at, or none: the text is split where
the first one is asked for, and numbers are made of those alone."""
import collections.abc
import csv
import functools


class Table(collections.abc.Mapping):
    """{column: [numbers]} of a text whose rows are complete."""

    def __init__(self, text):
        head, _, self._body = text.partition("\n")
        self._at, self._columns = {name: i for i, name in enumerate(next(csv.reader([head]), ()))}, {}

    @functools.cached_property
    def _cells(self):
        commas = len(self._at) - 1
        if not self._body.endswith("\n") or any(line.count(",") != commas for line in self._body.splitlines()):
            raise ValueError("the CSV is not complete")
        return self._body.replace("\n", ",").split(",")[:-1]

    def __getitem__(self, name):
        if name not in self._columns:
            self._columns[name] = list(map(float, self._cells[self._at[name]::len(self._at)]))
        return self._columns[name]

    def __contains__(self, name):
        return name in self._at

    def __iter__(self):
        return iter(self._at)

    def __len__(self):
        return len(self._at)
