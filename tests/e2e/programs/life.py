"""Orders of making, closing and leaving, one PE: each must end with exit code 0 and no fault.

    python3 life.py LIBRARY ORDER PORT
"""

import sys

import torch
import torch_npu  # noqa: F401

LIBRARY, ORDER, PORT = sys.argv[1], sys.argv[2], int(sys.argv[3])
HEAP = 64 << 20


def endpoint(step=0):
    return f"tcp://127.0.0.1:{PORT + step}"


def new_operator():
    return torch.classes.ShmemOps.AllGather()


def works(operator):
    source = torch.arange(12, dtype=torch.int32).reshape(3, 4).npu()
    target = torch.zeros(1, 3, 4, dtype=torch.int32).npu()
    operator.compute(target, source)
    assert torch.equal(target[0].cpu(), source.cpu())


def refused(action, *words):
    try:
        action()
    except RuntimeError as error:
        assert all(word in str(error) for word in words), str(error)
        return
    raise SystemExit(f"accepted; expected a refusal with {words}")


def started(heap=HEAP):
    manager = torch.classes.ShmemOps.Manager()
    manager.attr_init(0, 1, heap, endpoint())
    return manager


def dropped_after_finalize():
    manager = started()
    operator = new_operator()
    works(operator)
    manager.finalize()
    refused(lambda: works(operator), "AllGather")
    del operator


def held_until_exit():
    global held
    manager = started()
    held = new_operator()
    works(held)
    manager.finalize()


def finalized_twice():
    manager = started()
    works(new_operator())
    manager.finalize()
    manager.finalize()


def never_finalized():
    global held
    started()
    held = new_operator()
    works(held)


def left_by_sys_exit():
    global held
    started()
    held = new_operator()
    works(held)
    sys.exit(0)


def made_without_init():
    manager = torch.classes.ShmemOps.Manager()
    for _ in range(2):
        refused(new_operator, "AllGather", "Manager.attr_init")
        refused(lambda: manager.malloc_tensor(64), "Manager.attr_init")
        refused(lambda: manager.attr_init(0, 1, HEAP, "nonsense"), "ip_port")
    manager.attr_init(0, 1, HEAP, endpoint())
    works(new_operator())
    manager.finalize()
    refused(new_operator, "AllGather", "Manager.attr_init")


def heap_exhausted():
    manager = started(8 << 20)
    made = []
    try:
        while len(made) < 9:  # a state has 5 MiB
            made.append(new_operator())
    except RuntimeError as error:
        assert all(word in str(error) for word in ("AllGather", "bytes", "local_mem_size")), str(error)
    assert 0 < len(made) < 9, len(made)
    works(made[0])
    made[0].close()
    works(new_operator())
    manager.finalize()


def initialised_again():
    for step in range(3):
        manager = torch.classes.ShmemOps.Manager()
        manager.attr_init(0, 1, HEAP + step * (8 << 20), endpoint(step))
        operator = new_operator()
        works(operator)
        manager.finalize()
        refused(lambda: works(operator), "AllGather")
    first, second = torch.classes.ShmemOps.Manager(), torch.classes.ShmemOps.Manager()
    first.attr_init(0, 1, HEAP, endpoint(3))
    refused(lambda: second.attr_init(0, 1, HEAP, endpoint(4)), "initialised already")
    works(new_operator())
    second.finalize()


def tensors_dropped():
    manager = started()
    made = 0
    try:
        for _ in range(2000):
            manager.malloc_tensor(1 << 20)  # dropped at once, never freed
            made += 1
    except RuntimeError as error:
        assert "local_mem_size" in str(error) and "not freed" in str(error), str(error)
    assert 32 < made < 200, made
    manager.finalize()


torch.npu.set_device(0)
torch.ops.load_library(LIBRARY)
globals()[ORDER]()
print(ORDER, "done")
