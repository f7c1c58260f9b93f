# Written by shmem-bind 0.1.0: shared by the operators of this tree
# text 58976cdf222e1531
"""The SHMEM operators of this tree: loads their libraries, and lets torch.compile and torch.export see through them.

    import shmem_custom_ops.<operator>

loads the operator's kernel library and the binding. torch_npu must be importable, and the device set, before the first
object is made.
"""

import ctypes
import importlib.metadata
import os
import pathlib
from typing import Any, Protocol

import torch
import torch_npu  # type: ignore[import-untyped]  # noqa: F401

BINDING = "shmem_custom_ops_torch"
CUSTOM_OPS = pathlib.Path(__file__).resolve().parents[3]

_loaded: set[str] = set()


class Manager(Protocol):
    """torch.classes.ShmemOps.Manager: the life of SHMEM in this process. Its methods are collective."""

    def attr_init(self, my_pe: int, n_ranks: int, local_mem_size: int, ip_port: str) -> int: ...

    def finalize(self) -> int: ...

    def malloc_tensor(self, size: int) -> torch.Tensor: ...

    def malloc_like(self, tensor: torch.Tensor) -> torch.Tensor: ...

    def free_tensor(self, tensor: torch.Tensor) -> None: ...

    def get_name(self) -> str: ...


def find_library(name: str, operator: str = "") -> str:
    """Path of a built library: in this tree, else on LD_LIBRARY_PATH. Raises FileNotFoundError naming what builds it."""
    folders = [CUSTOM_OPS / "torch_binding/build/lib"]
    if operator:
        folders.insert(0, CUSTOM_OPS / operator / "build/lib")
    folders += [pathlib.Path(path) for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if path]
    for folder in folders:
        if (folder / name).is_file():
            return str(folder / name)
    script = CUSTOM_OPS / (f"{operator}/scripts/build_kernel.sh" if operator else "scripts/build_torch.sh")
    raise FileNotFoundError(f"{name} is not in {', '.join(map(str, folders))}; build it: {script}")


def check_versions(binding: str) -> None:
    """Raises ImportError when the library was built with another torch or torch_npu than this process runs: names in their
    C++ libraries change between versions."""
    recorded = pathlib.Path(binding).with_suffix(".versions")
    if not recorded.is_file():
        return
    for line in recorded.read_text(encoding="utf-8").splitlines():
        name, _, built = line.partition("=")
        try:
            running = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            running = "unknown"
        if running != built:
            script = CUSTOM_OPS / "scripts/build_torch.sh"
            raise ImportError(f"{binding} was built with {name} {built}, this process runs {name} {running}; build it again: {script}")


def load(operator: str) -> None:
    """Loads an operator's kernel library and the binding into this process, once."""
    if operator not in _loaded:
        kernel = find_library(f"lib{operator}_kernel.so", operator)
        binding = find_library(f"{BINDING}.so")
        check_versions(binding)
        for path in sorted(CUSTOM_OPS.glob("*/build/lib/lib*_kernel.so")):  # the binding links those of all operators
            if path.name == f"lib{path.parents[2].name}_kernel.so":
                ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        ctypes.CDLL(kernel, mode=ctypes.RTLD_GLOBAL)
        try:
            torch.ops.load_library(binding)
        except OSError as error:
            sought = os.environ.get("LD_LIBRARY_PATH") or "empty"
            raise ImportError(f"{binding} does not load: {error}; LD_LIBRARY_PATH is {sought}") from error
        _loaded.add(operator)


def manager() -> Manager:
    """A torch.classes.ShmemOps.Manager; some operator must be loaded."""
    made: Manager = torch.classes.ShmemOps.Manager()
    return made


def is_traced(op: object) -> bool:
    """Whether torch looks at a call instead of making it: it compiles or exports, the object is a stand-in, or a dispatch
    mode (FakeTensorMode, a logger) is active. Only then a call must go through torch.ops, whose look through the arguments of
    an operator that takes an object costs three times what the call does."""
    return torch.compiler.is_compiling() or type(op) is not torch.ScriptObject or torch._C._len_torch_dispatch_stack() > 0


def see_through_autocast() -> None:
    """What aot_eager makes of an operator that writes its outputs has kernels for autocast on CPU and CUDA, none for the
    NPU's. Autocast has nothing to do there."""
    from torch._higher_order_ops import auto_functionalize as made

    for name in ("auto_functionalized", "auto_functionalized_v2"):
        if hasattr(made, name):
            getattr(made, name).fallthrough(torch._C.DispatchKey.AutocastPrivateUse1)


def register_for_tracing(class_name: str, operator: str) -> None:
    """What stands for the class and its operator while torch traces a function: outputs are written in place, so there is
    nothing to compute and no shape to tell."""

    class Fake:
        def __init__(self, **description: Any) -> None:
            self.__dict__.update(description)

        @classmethod
        def __obj_unflatten__(cls, flat: Any) -> "Fake":
            return cls(**dict(flat))

        def compute(self, *_: Any) -> None:
            raise RuntimeError(f"a traced function calls the functional form, {operator}(op, ...), not the method compute()")

        def close(self) -> None:
            raise RuntimeError("close() cannot be traced")

        def get_name(self) -> str:
            return class_name

    see_through_autocast()
    torch._library.register_fake_class(f"ShmemOps::{class_name}")(Fake)
    torch.library.register_fake(f"shmem_ops::{operator}", lambda *_, **__: None)
