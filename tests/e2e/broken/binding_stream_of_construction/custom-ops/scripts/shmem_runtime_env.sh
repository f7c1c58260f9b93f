#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: shared by the operators of this tree
# text 6f80101d2a053525
# Sourced by the build and test scripts of this tree: finds CANN, SHMEM and Python, and a fresh endpoint for a run.

_custom_ops_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

# Vendors' set_env.sh use variables that may be unset and commands that may fail.
_source_vendor_script() {
    local options
    options="$(set +o)"
    set +eu
    . "$1"
    eval "${options}"
}

# For programs of one run, such as a C++ run.sh: an endpoint of its own. Leaves pre-set values alone. The ports were free a
# moment ago; torch_test_*.py does not need this, it takes a port itself and another one when that is gone.
setup_shmem_dynamic_endpoints() {
    local python="${PYTHON:-python3}"
    local probe='import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
    export IPPORT="${IPPORT:-tcp://127.0.0.1:$("${python}" -c "${probe}")}"
    export SHMEM_UID_SESSION_ID="${SHMEM_UID_SESSION_ID:-127.0.0.1:$("${python}" -c "${probe}")}"
}

# setup_shmem_runtime_env [operator]
setup_shmem_runtime_env() {
    if [ -z "${ASCEND_HOME_PATH:-}" ]; then
        if [ -z "${CANN_SET_ENV:-}" ]; then
            echo "error: ASCEND_HOME_PATH is not set: source CANN's set_env.sh, or set CANN_SET_ENV to it" >&2
            return 1
        fi
        _source_vendor_script "${CANN_SET_ENV}"
    fi
    if [ -z "${SHMEM_REPO:-}" ]; then
        echo "error: SHMEM_REPO is not set: source SHMEM's install/set_env.sh, or set it to the tree with install/" >&2
        return 1
    fi
    if [ -z "${SHMEM_HOME_PATH:-}" ]; then
        _source_vendor_script "${SHMEM_REPO}/install/set_env.sh"
    fi
    # The binding links the kernel libraries of all operators; its own record of where they are may have been stripped.
    local kernels="" folder
    for folder in "${_custom_ops_dir}"/*/build/lib; do
        if [ -d "${folder}" ] && [ "${folder}" != "${_custom_ops_dir}/torch_binding/build/lib" ]; then
            kernels="${kernels}:${folder}"
        fi
    done
    export LD_LIBRARY_PATH="${_custom_ops_dir}/torch_binding/build/lib${1:+:${_custom_ops_dir}/$1/build/lib}${kernels}:${ASCEND_HOME_PATH}/lib64:${LD_LIBRARY_PATH:-}"
}

# configure_build SOURCE BUILD ARGUMENT...: runs cmake, unless BUILD was configured with the same arguments and environment.
# What CMakeLists.txt itself depends on, the build looks at: a second build writes nothing.
configure_build() {
    local source="$1" build="$2" generator=() wanted
    shift 2
    wanted="$(printf '%s\n' "${source}" "$@" "${ASCEND_HOME_PATH}" "${CC:-}" "${CXX:-}" "${CFLAGS:-}" "${CXXFLAGS:-}" "${LDFLAGS:-}")"
    if [ "$(cat "${build}/configured_with" 2>/dev/null)" != "${wanted}" ]; then
        command -v ninja >/dev/null && [ ! -e "${build}/CMakeCache.txt" ] && generator=(-G Ninja)
        rm -f "${build}/configured_with"
        cmake -S "${source}" -B "${build}" "${generator[@]}" "$@" --log-level=WARNING >/dev/null
        printf '%s\n' "${wanted}" > "${build}/configured_with"
    fi
}
