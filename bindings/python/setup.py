"""pip install ./bindings/python: the package, with libnsm.so of build/release and its data inside of it.

Build nsm first (./check --quick, or ./nsm version). Setuptools is all that is needed; nothing is fetched.
"""
import pathlib
import re
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NATIVE = {  # where it is in the tree: where it goes beside the package, in the form of an installation
    "build/release/lib/libnsm.so.0": "lib",
    "stdlib": "share/nsm/stdlib",
    "include/nsm.h": "share/nsm/include",
    "runtime/nsm_run.h": "share/nsm/runtime",
    "runtime/nsm_abi.h": "share/nsm/runtime",
}


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        native = pathlib.Path(self.build_lib) / "nsm/native"
        for source, folder in NATIVE.items():
            at = ROOT / source
            if not at.exists():
                raise SystemExit(f"error: {at} is not there; build nsm first: ./nsm version")
            to = native / folder
            if at.is_dir():
                shutil.copytree(at, to, dirs_exist_ok=True)
            else:
                to.mkdir(parents=True, exist_ok=True)
                shutil.copy2(at, to / at.name)


class ForThisMachine(Distribution):
    def has_ext_modules(self):
        return True


version = re.search(r"project\(nsm VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
setup(name="nsm", version=version, description="A language and compiler for nonsmooth dynamics", license="Apache-2.0",
      python_requires=">=3.9", packages=["nsm"],
      package_data={"nsm": ["py.typed"]},
      extras_require={"arrays": ["numpy"], "plot": ["numpy", "matplotlib"], "pandas": ["pandas"], "xarray": ["xarray"]},
      cmdclass={"build_py": BuildWithLibrary}, distclass=ForThisMachine)
