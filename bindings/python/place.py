"""Where python3 looks for packages that are installed to a prefix, relative to it: Debian's folder for /usr, a folder
of the version elsewhere."""
import os
import sys
import sysconfig

prefix = os.path.abspath(sys.argv[1])
schemes = {"/usr": "deb_system", "/usr/local": "posix_local"}
scheme = schemes.get(prefix, "posix_prefix")
if scheme not in sysconfig.get_scheme_names():
    scheme = "posix_prefix"
base = "/usr" if scheme == "posix_local" else prefix       # Debian's posix_local adds `local` itself
print(os.path.relpath(sysconfig.get_path("purelib", scheme, {"base": base, "platbase": base}), prefix))
