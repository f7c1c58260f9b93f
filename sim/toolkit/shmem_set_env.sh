# Source this: makes the simulated SHMEM install the SHMEM of this shell.
if [ -n "${BASH_SOURCE:-}" ]; then
    _shmem_self="${BASH_SOURCE}"
else
    _shmem_self="${SHMEM_SET_ENV:-$0}"
fi
_shmem_root="$(cd "$(dirname "${_shmem_self}")" && pwd)"

export SHMEM_HOME_PATH="${_shmem_root}"
export SHMEM_REPO="$(cd "${_shmem_root}/.." && pwd)"
case ":${LD_LIBRARY_PATH:-}:" in
    *":${_shmem_root}/shmem/lib:"*) ;;
    *) export LD_LIBRARY_PATH="${_shmem_root}/shmem/lib${LD_LIBRARY_PATH:+:${LD_LIBRARY_PATH}}" ;;
esac
unset _shmem_self _shmem_root
