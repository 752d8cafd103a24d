"""The command: python3 -m nsm run F.nsm; `nsm` where pip installed the package."""
import os
import pathlib
import shutil
import sys


def main() -> None:
    """The command that this package brings along, else that of its tree, else the one of the system."""
    package = pathlib.Path(__file__).resolve().parent
    places = [package / "native/bin/nsm", *(above / "build/release/nsm" for above in package.parents[2:3])]
    found = next((str(place) for place in places if place.exists()), None) or shutil.which("nsm")
    if not found or os.path.realpath(found) == os.path.realpath(sys.argv[0]):
        sys.exit("error: the command nsm is not here; build it (./nsm version), or install the wheel")
    os.execv(found, ["nsm", *sys.argv[1:]])


if __name__ == "__main__":
    main()
