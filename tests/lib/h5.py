"""Prints a file of HDF5 as JSON, by h5py: run by /usr/bin/python3, which has the distribution's packages."""
import json
import sys

import h5py


def text(x):
    return x.decode() if isinstance(x, bytes) else x


def told(x):
    if isinstance(x, h5py.Group):
        return {"attributes": {k: text(v) for k, v in x.attrs.items()}, "of": {k: told(v) for k, v in x.items()}}
    value = x[()]
    if x.shape == ():
        value = text(value) if x.dtype.kind in "SO" else float(value)
    else:
        value = [text(v) for v in value] if x.dtype.kind in "SO" else [float(v) for v in value]
    return {"attributes": {k: text(v) for k, v in x.attrs.items()}, "value": value}


with h5py.File(sys.argv[1], "r") as f:
    print(json.dumps(told(f)))
