# Source this: makes the simulated CANN the CANN of this shell. Computes its own place, so the folder may be moved.
if [ -n "${BASH_SOURCE:-}" ]; then
    _cann_self="${BASH_SOURCE}"
elif [ -n "${ZSH_VERSION:-}" ]; then
    _cann_self="$0"
else
    _cann_self="${CANN_SET_ENV:-$0}"  # a plain sh does not say: set CANN_SET_ENV to this file's path before sourcing it
fi
_cann_root="$(cd "$(dirname "${_cann_self}")" && pwd)"

export ASCEND_HOME_PATH="${_cann_root}"
export ASCEND_TOOLKIT_HOME="${_cann_root}"
export ASCEND_OPP_PATH="${_cann_root}/opp"
_cann_prepend() {
    # usage: _cann_prepend VARIABLE FOLDER; nothing when it is there already
    eval "_cann_old=\"\${$1:-}\""
    case ":${_cann_old}:" in
        *":$2:"*) ;;
        *) eval "export $1=\"$2\${_cann_old:+:\${_cann_old}}\"" ;;
    esac
}
_cann_prepend LD_LIBRARY_PATH "${_cann_root}/lib64"
_cann_prepend PATH "${_cann_root}/compiler/bin"
_cann_prepend PATH "${_cann_root}/bin"
unset -f _cann_prepend
unset _cann_self _cann_root _cann_old
