"""What pip asks (PEP 517): a wheel of the package, with libnsm.so, the command `nsm` and their data inside of it
(nsm/native, in the form of an installation). Python's own library is all that is needed, so pip works in a fresh
environment without network; who installs the wheel needs no compiler and nothing of this tree.

nsm is looked for where NSM_HOME says; in the tree that this folder is a part of; in the tree that was built last with
the folder that this one is a copy of (the file `built`, which CMake writes); in the installation of the command `nsm`.
"""
import base64
import ctypes
import hashlib
import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY, COMMAND = "libnsm.so.0", "nsm"
PLUGINS = ("libnsm_llvm.so", "libnsm_xml.so", "libnsm_zip.so", "libnsm_hdf5.so",
           "libnsm_sundials.so")       # not in every build
DATA = {"stdlib": "share/nsm", "include/nsm.h": "share/nsm/include", "runtime/nsm_run.h": "share/nsm/runtime",
        "runtime/nsm_abi.h": "share/nsm/runtime"}
METADATA = """Metadata-Version: 2.1
Name: nsm
Version: {version}
Summary: A language and compiler for nonsmooth dynamics
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: arrays
Requires-Dist: numpy; extra == "arrays"
Provides-Extra: plot
Requires-Dist: numpy; extra == "plot"
Requires-Dist: matplotlib; extra == "plot"
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Provides-Extra: xarray
Requires-Dist: xarray; extra == "xarray"
"""
MODES = (0o100644, 0o100755)                             # of files, of programs
SCRIPTS = "[console_scripts]\nnsm = nsm.__main__:main\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: nsm\nRoot-Is-Purelib: false\nTag: {tag}\n"


class UnsupportedOperation(Exception):
    """PEP 517: what this backend does not make."""


def places():
    if os.environ.get("NSM_HOME"):
        yield pathlib.Path(os.environ["NSM_HOME"])
        return
    if HERE.parts[-2:] == ("bindings", "python"):
        yield HERE.parents[1]
    if (HERE / "built").exists():
        yield pathlib.Path((HERE / "built").read_text().strip())
    command = shutil.which("nsm")
    if command:
        yield pathlib.Path(command).resolve().parents[1]


def parts(root):
    """{file: the folder below nsm/native where it goes} of a tree or an installation."""
    libraries = next((lib for lib in [root / "build/release/lib", root / "lib", root / "lib64", *root.glob("lib/*/")]
                      if (lib / LIBRARY).exists()), root)
    tree = (root / "stdlib").exists()
    plugins = libraries if tree else root / "share/nsm/lib"
    out = {libraries / LIBRARY: "lib", (libraries.parent if tree else root / "bin") / COMMAND: "bin"}
    for name in PLUGINS:
        at = next((folder / name for folder in (plugins, libraries / "nsm") if (folder / name).exists()), None)
        out.update({at: "share/nsm/lib" if name[7:10] in ("xml", "zip") else "lib"} if at else {})
    out.update({root / ("" if tree else "share/nsm") / name: folder for name, folder in DATA.items()})
    return out


def native():
    looked = []
    for root in places():
        found = parts(root)
        if all(path.exists() for path in found):
            return found
        looked.append(str(root))
    raise SystemExit(f"error: no nsm that was built is in {', '.join(looked) or HERE}; build it (./nsm version, in the "
                     "tree), or say where one is: NSM_HOME=TREE or NSM_HOME=PREFIX")


class Wheel:
    """A wheel that is written: RECORD has the hash of each file."""

    def __init__(self, folder, files):
        library = next(path for path in files if path.name == LIBRARY)
        load = ctypes.CDLL(str(library)).nsm_version       # the version is that of the library
        load.restype = ctypes.c_char_p
        self.version = load().decode()
        tag = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
        self.name = f"nsm-{self.version}-{tag}.whl"
        self.zip = zipfile.ZipFile(pathlib.Path(folder) / self.name, "w", zipfile.ZIP_DEFLATED)
        self.about, self.record = f"nsm-{self.version}.dist-info", []
        self.add(f"{self.about}/METADATA", METADATA.format(version=self.version).encode())
        self.add(f"{self.about}/WHEEL", WHEEL.format(tag=tag).encode())
        self.add(f"{self.about}/entry_points.txt", SCRIPTS.encode())

    def add(self, name, data):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}\n")
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, MODES[name.endswith("bin/nsm")] << 16
        self.zip.writestr(entry, data)

    def add_program(self, path, name):
        """Without its debug symbols, where `strip` is here."""
        data = path.read_bytes()
        if shutil.which("strip"):
            with tempfile.NamedTemporaryFile() as bare:
                bare.write(data)
                bare.flush()
                if subprocess.run(["strip", "--strip-debug", bare.name]).returncode == 0:
                    data = pathlib.Path(bare.name).read_bytes()
        self.add(name, data)

    def add_tree(self, path, folder):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                self.add(f"{folder}/{file.relative_to(path.parent).as_posix()}", file.read_bytes())

    def finish(self):
        self.zip.writestr(f"{self.about}/RECORD", "".join(self.record) + f"{self.about}/RECORD,,\n")
        self.zip.close()
        return self.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = native()
    wheel = Wheel(wheel_directory, files)
    for file in sorted((HERE / "nsm").iterdir()):
        if file.is_file():
            wheel.add(f"nsm/{file.name}", file.read_bytes())
    for path, folder in files.items():
        if path.name == COMMAND or ".so" in path.name:
            wheel.add_program(path, f"nsm/native/{folder}/{path.name}")
        else:
            wheel.add_tree(path, f"nsm/native/{folder}")
    return wheel.finish()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """pip install -e: this folder itself, with the library of its tree."""
    wheel = Wheel(wheel_directory, native())
    wheel.add("nsm.pth", f"{HERE}\n".encode())
    return wheel.finish()


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("the library is not made of this folder: make a wheel (pip wheel ./bindings/python)")
