#!/usr/bin/env bash
# Installs what the project needs and is missing: Debian packages, and a .venv with torch and torch_npu. Says what it does;
# does nothing when all is there.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: scripts/setup.sh [--bench] [--help]

Debian packages are installed with apt-get (as root, or through sudo); a normal user on a machine that has them needs
neither. Python packages go into .venv: torch 2.13.0 (CPU build), torch_npu 2.13.0, numpy, pyyaml, mypy.
  --bench   also Open MPI, which bench/run.py compares with
EOF
}

packages=(
  g++ cmake ninja-build git python3 python3-venv
  clang-16 clang-tidy-16 clang-format-16 libclang-16-dev libclang-rt-16-dev
  libgtest-dev libboost-context-dev libfmt-dev nlohmann-json3-dev libcli11-dev
  libcmark-dev libyaml-cpp-dev libelf-dev
  chromium-headless-shell python3-jsonschema
)
case "${1:-}" in
  "") ;;
  --bench) packages+=(openmpi-bin libopenmpi-dev) ;;
  --help | -h) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."

missing_packages() {
  # One line per package that is installed; compared in one go, because dpkg-query is slow to start.
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null | grep ' installed$' || true)
  local name
  for name in "${packages[@]}"; do
    grep -qxF "${name} installed" <<<"${installed}" || echo "${name}"
  done
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} -eq 0 ] && return 0
  echo "setup: installing Debian packages: ${missing[*]}"
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "setup: these packages are missing and there is no sudo; as root: apt-get install ${missing[*]}" >&2
      exit 1
    fi
    root=(sudo)
  fi
  "${root[@]}" apt-get update -q
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# torch_npu is built for CPython 3.11.
find_python() {
  local name
  for name in python3.11 python3; do
    if command -v "${name}" >/dev/null && [ "$("${name}" -c 'import sys; print(sys.version_info[:2] == (3, 11))')" = True ]; then
      command -v "${name}"
      return 0
    fi
  done
  echo "setup: Python 3.11 is needed (torch_npu 2.13.0 has wheels for it); install it and run again" >&2
  exit 1
}

# Looks at folder names only: importing torch takes seconds.
python_is_complete() {
  local site
  site=$(echo .venv/lib/python3.11/site-packages)
  compgen -G "${site}/torch-2.13.0*.dist-info" >/dev/null && compgen -G "${site}/torch_npu-2.13.0*.dist-info" >/dev/null &&
    compgen -G "${site}/numpy-*.dist-info" >/dev/null && compgen -G "${site}/*yaml-*.dist-info" >/dev/null &&
    compgen -G "${site}/mypy-1.18.2*.dist-info" >/dev/null
}

install_python() {
  python_is_complete && return 0
  [ -x .venv/bin/python ] || { echo "setup: making .venv"; "$(find_python)" -m venv .venv; }
  echo "setup: installing torch 2.13.0 (CPU), torch_npu 2.13.0, numpy, pyyaml and mypy into .venv"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0 numpy pyyaml mypy==1.18.2
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps torch_npu==2.13.0
  python_is_complete || { echo "setup: pip ended well, but the packages are not in .venv" >&2; exit 1; }
}

install_packages
install_python
echo "setup: everything is there"
