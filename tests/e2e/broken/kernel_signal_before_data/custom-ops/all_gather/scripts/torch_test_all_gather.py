# Written by shmem-bind 0.1.0: custom-ops/all_gather/docs/design.md
# contract eebdb9ca094da100, text bca8b5b516597ff9
"""AllGather 算子的多 PE 测试。

单独运行:        python torch_test_all_gather.py --pes 8
只测一种类型:    python torch_test_all_gather.py --pes 2 --dtype int8 --case xs
torchrun 运行:   torchrun --nproc-per-node 8 torch_test_all_gather.py

每个 PE 为每次 compute 写一条记录, 父进程核对全部记录和全部退出码; 任何一项不符, 退出码不为 0。

这里是属于本算子的内容: 契约、golden、加载库、一个 PE 从设备到收尾的步骤。各算子相同的部分在 custom-ops/scripts:
multi_pe_test.py 生成数据、连续调用、比较和记录, multi_pe_launch.py 启动和看护各 PE、核对记录、给失败分类。
"""

import ctypes
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
CUSTOM_OPS = HERE.parent.parent
sys.path.insert(0, str(CUSTOM_OPS / "scripts"))
sys.dont_write_bytecode = True  # 不在源码里留下 __pycache__
import multi_pe_launch  # noqa: E402

# ---- 以下各项来自契约 (docs/design.md) ----
OP = "all_gather"
CLASS = "AllGather"
LIBRARY = "shmem_custom_ops_torch.so"
KERNEL_LIBRARIES = ["liball_gather_kernel.so"]
DTYPES = {"int8": "int8", "int32": "int32", "fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}
CASES = {
    "xs": {"cols": 32, "rows": 64},
    "tail": {"cols": 13, "rows": 7},
    "degenerate": {"cols": 256, "rows": 1},
    "slot": {"cols": 1024, "rows": 32},
    "s": {"cols": 257, "rows": 513},
    "m": {"cols": 1031, "rows": 512},
}
INPUTS = {"input": None}
OUTPUTS = {"output": None}
SHARED = []  # 所有 PE 必须一致的输入
ATTRIBUTES = {}  # compute 的关键字参数; 用例可以另给值
ROTATING = []  # 各次调用轮换的 PE 号
OPTIONAL = []  # 有的 PE 可以没有的输出
REPLICATED = True  # 各 PE 的正确结果: True 相同, False 不同, None 未知
# 按容差比较的类型: (rtol, 加法达到 2048 次时的 rtol, 偏差的上限), atol 等于 rtol; 其余类型逐位相等
TOLERANCES = {}
LOCAL_MEM_SIZE = 256 << 20  # 每个 PE 的对称内存字节数


def input_shapes(n_pes, symbols):
    """各输入张量的形状。"""
    return {
        "input": [symbols["rows"], symbols["cols"]],
    }


def output_shapes(n_pes, symbols):
    """各输出张量的形状。"""
    return {
        "output": [n_pes, symbols["rows"], symbols["cols"]],
    }


def golden(pe, n_pes, inputs, attrs):
    """CPU 参考结果。inputs[p][名字] 是 PE p 的输入。"""
    import torch

    return {"output": torch.stack([inputs[p]["input"] for p in range(n_pes)])}


def arrange(n_pes, inputs, attrs, random):
    """把随机输入改成有意义的值 (例如表)。inputs[p][名字] 是 PE p 的输入, random 是 random.Random。"""


# ---- 一个 PE ----


def find_library(name):
    """优先用本工程刚编译的库, 其次 LD_LIBRARY_PATH; 有多个候选时用最前的一个。"""
    folders = [CUSTOM_OPS / "torch_binding/build/lib", CUSTOM_OPS / OP / "build/lib"]
    folders += [pathlib.Path(p) for p in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if p]
    for folder in folders:
        if (folder / name).is_file():
            return str(folder / name)
    raise FileNotFoundError(f"找不到 {name}: 先运行 custom-ops/scripts/build_torch.sh 和 scripts/build_kernel.sh")


def load_libraries():
    """每个 worker 内加载: 先以 RTLD_GLOBAL 预加载 kernel 库, 再加载 Torch 扩展。"""
    import torch
    import torch_npu  # noqa: F401

    for name in KERNEL_LIBRARIES:
        ctypes.CDLL(find_library(name), mode=ctypes.RTLD_GLOBAL)
    torch.ops.load_library(find_library(LIBRARY))


def compute(op, tensors, attrs):
    """一次调用, 参数的次序如契约; tensors[名字] 是张量, 这个 PE 没有的输出是 None。"""
    op.compute(tensors["output"], tensors["input"], **attrs)


def live(run, endpoint):
    """SHMEM 的一次初始化到收尾; 各次分担一部分调用。返回结果不符的次数。"""
    import torch

    run.enter("init")
    manager = torch.classes.ShmemOps.Manager()
    status = manager.attr_init(run.pe, run.pes, LOCAL_MEM_SIZE, endpoint)
    if status != 0:
        raise RuntimeError(f"attr_init 返回 {status}")
    run.enter("create")
    run.use_memory(manager)
    ops = [torch.classes.ShmemOps.AllGather() for _ in range(run.objects)]
    guard = run.guard(manager)
    run.enter("compute")
    wrong = run.calls(ops)
    run.check_guard(manager, guard)
    run.enter("close")
    for op in ops:
        op.close()
    run.closed(ops)
    run.enter("finalize")
    manager.finalize()
    return wrong


def worker(run):
    """一个 PE 的全部工作, run 见 multi_pe_test.Run。每一步先记下它的名字, 失败时由此知道停在哪里。返回结果不符的次数。"""
    import torch
    import torch_npu  # noqa: F401

    torch.npu.set_device(run.pe % torch.npu.device_count())
    run.enter("load")
    load_libraries()
    return sum(live(run, endpoint) for endpoint in run.endpoints)


if __name__ == "__main__":
    multi_pe_launch.main(sys.modules[__name__])
