# Shared by ./nsm and ./check (POSIX sh, sourced with $here = the root of the tree): installs what packages.txt names
# and is missing, configures and builds a preset. Quiet when there is nothing to do; never prompts; all messages on
# stderr. Exit codes: 4 packages cannot be installed, the tree cannot be written, or the disk or memory is full;
# 125 the build failed (build/<preset>.log holds the whole output).

may_install=yes  # empty: nothing is installed, it is said what is missing

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# The build goes to folders of this tree: say so where they cannot be made or written.
need_folder() {
  if ! why=$(mkdir -p "$1" 2>&1) || ! [ -w "$1" ]; then
    say "there is no up-to-date build, and $1 cannot be written${why:+ ($why)}"
    say "copy the tree to a folder of yours, or let its owner run ./nsm once"
    exit 4
  fi
}

# Names the packages of packages.txt that are not installed, of the needed or of the optional ones. On other systems
# than Debian nothing is known, so nothing is named.
missing_packages() { # needed|optional
  command -v dpkg-query >/dev/null 2>&1 || return 0
  case "$1" in
    optional) wanted=$(sed -n 's/#.*//; s/^optional //p' "$here/packages.txt" | tr -s ' \n' ' ') ;;
    *) wanted=$(sed 's/#.*//; /^optional /d' "$here/packages.txt" | tr -s ' \n' ' ') ;;
  esac
  # shellcheck disable=SC2086
  have=" $(dpkg-query -W -f '${db:Status-Status}:${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed://p' |
    tr '\n' ' ') "
  for p in $wanted; do
    case "$have" in *" $p "*) ;; *) printf '%s ' "$p" ;; esac
  done
}

# Sets as_root to what makes a command root's; false: nothing does.
become_root() {
  as_root=
  [ "$(id -u)" = 0 ] && return 0
  as_root="sudo -n"
  sudo -n true </dev/null >/dev/null 2>&1
}

apt_install() { # packages
  log="$here/build/packages.log"
  apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q --no-install-recommends -o DPkg::Lock::Timeout=300"
  # The lists of a fresh system are empty or old: update only when the first try fails.
  # shellcheck disable=SC2086
  $apt install $1 </dev/null >"$log" 2>&1 ||
    { $apt update </dev/null >>"$log" 2>&1; $apt install $1 </dev/null >>"$log" 2>&1; }
}

# Where there is no dpkg: the programs that are missing, and what packages are called elsewhere.
other_system() {
  lacks=
  for program in cc cmake ninja flex bison; do
    command -v "$program" >/dev/null 2>&1 || lacks="$lacks $program"
  done
  echo '#include <libtcc.h>' | cc -E - >/dev/null 2>&1 || lacks="$lacks libtcc.h"
  [ -n "$lacks" ] || return 0
  say "missing:$lacks. On systems other than Debian nothing is installed; by their usual names the packages are"
  say "  Fedora    dnf install gcc cmake ninja-build flex bison tcc"
  say "  Arch      pacman -S gcc cmake ninja flex bison tcc"
  say "  Alpine    apk add gcc musl-dev cmake ninja flex bison tcc-dev tcc-libs-static"
  say "  openSUSE  zypper install gcc cmake ninja flex bison tcc"
  exit 4
}

install_packages() {
  command -v dpkg-query >/dev/null 2>&1 || other_system
  missing=$(missing_packages needed)
  [ -n "$missing" ] || return 0
  if [ -z "$may_install" ]; then
    say "nothing is installed (--no-install), and these Debian packages are missing: $missing"
    say "they are installed by: apt-get install --no-install-recommends $missing"
    exit 4
  fi
  if ! become_root; then
    say "these Debian packages are needed and cannot be installed without root or sudo: $missing"
    say "ask for: apt-get install --no-install-recommends $missing"
    exit 4
  fi
  say "first run: apt-get install --no-install-recommends $missing"
  apt_install "$missing" ||
    { tail -n 15 "$log" >&2; say "installing $missing failed; the whole output is in $log"; exit 4; }
}

# For ./check: installs optional packages where that can be done, tried once for each packages.txt. What was built
# without them is configured again. Ends with the names of those that are not there, in `left_out`.
install_optional() {
  need_folder "$here/build"
  tried="$here/build/.optional-tried"
  left_out=$(missing_packages optional)
  [ -n "$left_out" ] || return 0
  if [ ! -e "$tried" ] || [ "$here/packages.txt" -nt "$tried" ]; then
    if become_root; then
      say "installing, for the tests: $left_out"
      for package in $left_out; do apt_install "$package" || true; done
      rm -f "$here"/build/*/build.ninja "$here"/build/*/.built-*
    fi
    : >"$tried"
  fi
  left_out=$(missing_packages optional)
}

# Is there a source newer than the last build of this preset and target? Folders count: a removed file changes its
# folder.
stale() { # preset target
  stamp="$here/build/$1/.built-$2"
  [ -e "$stamp" ] || return 0
  [ "$2" = all ] && tests="$here/tests/unit" || tests=
  # shellcheck disable=SC2086
  [ -n "$(find "$here/CMakeLists.txt" "$here/CMakePresets.json" "$here/packages.txt" "$here/cmake" "$here/compiler" \
               "$here/grammar" "$here/runtime" $tests -newer "$stamp" -print -quit 2>/dev/null)" ]
}

# build PRESET TARGET: brings one preset up to date. One builder at a time; the others wait and find it done.
build() {
  stale "$1" "$2" || return 0
  need_folder "$here/build"
  exec 9>"$here/build/.lock"
  flock 9
  if stale "$1" "$2"; then
    dir="$here/build/$1"
    install_packages
    command -v cmake >/dev/null 2>&1 || { say "cmake is missing; packages.txt names all that is needed"; exit 4; }
    # A build folder that was copied or moved with its tree points to the old place: start over.
    if [ -e "$dir/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$here" "$dir/CMakeCache.txt"; then
      rm -rf "$dir"
    fi
    need_folder "$dir"
    [ -e "$dir/.built-$2" ] || say "building ($1), this is done once"
    touch "$dir/.building" || exit 4
    if (cd "$here" && { [ -e "$dir/build.ninja" ] || cmake --preset "$1"; } &&
        cmake --build "$dir" --target "$2" -j "$(nproc)") </dev/null >"$here/build/$1.log" 2>&1 9>&-; then
      [ "$2" != all ] || cp -p "$dir/.building" "$dir/.built-nsm"   # all includes the compiler
      mv "$dir/.building" "$dir/.built-$2"
    else
      full='No space left|quota exceeded|File too large|[Ff]ile size limit|Read-only file|allocate memory|Killed'
      if grep -qE "$full|memory exhausted" "$here/build/$1.log" || ! echo >>"$here/build/$1.log"; then
        say "the build stopped: the disk or the memory is full (the build takes 40 MB of disk)"
        tail -n 3 "$here/build/$1.log" >&2
        exit 4
      fi
      grep -nE 'error:|undefined reference|CMake Error' "$here/build/$1.log" | head -n 20 >&2
      say "the build failed; the whole output is in build/$1.log"
      exit 125
    fi
  fi
  exec 9>&-
}
