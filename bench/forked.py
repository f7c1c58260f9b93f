"""PEs forked from a parent that has imported torch: 2 s once instead of once per PE."""

import os
import sys


def run_pes(count, worker):
    """Calls worker(pe) in `count` forked processes and exits: 0 when all ended well, 1 otherwise."""
    import torch  # noqa: F401
    import torch_npu  # noqa: F401

    children = []
    for pe in range(count):
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                worker(pe)
                status = 0
            except BaseException as error:  # the parent reports; nothing may return into its code
                print(f"PE {pe}: {error!r}", file=sys.stderr, flush=True)
            finally:
                sys.stderr.flush()
                os._exit(status)
        children.append(pid)
    failed = sum(os.waitpid(pid, 0)[1] != 0 for pid in children)
    sys.exit(1 if failed else 0)
