"""@@class@@ 算子的多 PE 测试。

单独运行:        python torch_test_@@op@@.py --pes 8
只测一种类型:    python torch_test_@@op@@.py --pes 2 --dtype @@first_dtype@@ --case @@first_case@@
torchrun 运行:   torchrun --nproc-per-node 8 torch_test_@@op@@.py

每个 PE 为每次 compute 写一条记录, 父进程核对全部记录和全部退出码; 任何一项不符, 退出码不为 0。
"""

import argparse
import ctypes
import faulthandler
import gc
import hashlib
import json
import math
import os
import pathlib
import random
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import types
import uuid
import zlib

# ---- 以下各项来自契约 (docs/design.md) ----
OP = "@@op@@"
CLASS = "@@class@@"
LIBRARY = "@@library@@"
KERNEL_LIBRARIES = ["lib@@op@@_kernel.so"]
DTYPES = @@dtypes@@
CASES = @@cases@@
INPUTS = @@inputs@@
OUTPUTS = @@outputs@@
SHARED = @@shared@@  # 所有 PE 必须一致的输入
ATTRIBUTES = @@attributes@@  # compute 的关键字参数; 用例可以另给值
ROTATING = @@rotating@@  # 各次调用轮换的 PE 号
OPTIONAL = @@optional@@  # 有的 PE 可以没有的输出
REPLICATED = @@replicated@@  # 各 PE 的正确结果: True 相同, False 不同, None 未知
LOCAL_MEM_SIZE = @@local_mem_size@@  # 每个 PE 的对称内存字节数
LAYOUTS = ["contiguous", "offset_view", "strided", "permuted"]  # 各次调用轮流使用的内存布局
POISON = 0xA5

HERE = pathlib.Path(__file__).resolve().parent
@@places@@


def add(a, b):
    return a + b


def mul(a, b):
    return a * b


def div(a, b):
    """与契约一致: 向零取整。"""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def mod(a, b):
    return a - div(a, b) * b


def ceil_div(a, b):
    return -(-a // b)


def align_up(a, b):
    return ceil_div(a, b) * b


def input_shapes(n_pes, symbols):
    """各输入张量的形状。"""
@@input_shapes@@


def output_shapes(n_pes, symbols):
    """各输出张量的形状。"""
@@output_shapes@@


@@contract_code@@def golden(pe, n_pes, inputs, attrs):
    """CPU 参考结果。inputs[p][名字] 是 PE p 的输入。"""
@@golden@@


def arrange(n_pes, inputs, attrs, random):
    """把随机输入改成有意义的值 (例如表)。inputs[p][名字] 是 PE p 的输入, random 是 random.Random。"""@@arrange@@


# ---- 数据 ----


def is_fp8(dtype):
    return dtype.is_floating_point and dtype.itemsize == 1


def random_tensor(shape, dtype, generator):
    import torch

    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).to(dtype)
    if is_fp8(dtype):
        return torch.randint(0, 256, shape, generator=generator, dtype=torch.uint8).view(dtype)
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator).to(dtype)
    info = torch.iinfo(dtype)
    return torch.randint(max(info.min, -(2**31)), min(info.max, 2**31 - 1), shape, generator=generator).to(dtype)


_BASE = {}


def base_data(pe, n_pes, job, dtype_name, case):
    """PE pe 的基础数据, 每个 (类型, 用例) 只生成一次。种子固定: 42 + pe; 共享的输入用公共种子。"""
    import torch

    key = (pe, n_pes, job["seed"], dtype_name, case)
    if key not in _BASE:
        tensors = {}
        for name, shape in input_shapes(n_pes, job["cases"][case]).items():
            own = 0 if name in SHARED else pe
            text = f"{42 + own}/{job['seed']}/{dtype_name}/{case}/{name}"
            generator = torch.Generator().manual_seed(int(hashlib.sha256(text.encode()).hexdigest()[:15], 16))
            kind = INPUTS[name] or DTYPES[dtype_name]
            tensors[name] = random_tensor(shape, getattr(torch, kind), generator)
        if len(_BASE) > 64:
            _BASE.clear()
        _BASE[key] = tensors
    return _BASE[key]


def attributes_of(symbols):
    return {name: symbols.get(name, default) for name, default in ATTRIBUTES.items()}


def attributes_in(call, n_pes, symbols):
    """第 call 次调用的属性。前三次的根相同 (同一槽位被重用), 之后每次都换。"""
    step = max(call - 2, 0)
    return {name: (value + step) % n_pes if name in ROTATING else value for name, value in attributes_of(symbols).items()}


def changed(value, call):
    """基础数据在第 call 次调用时的值。fp8 只搬运, 不做算术: 按字节改变。"""
    import torch

    if value.dtype == torch.bool:
        return value ^ bool(call % 2)
    return (value.view(torch.uint8) + call).view(value.dtype) if is_fp8(value.dtype) else value + call


def gen_data(n_pes, job, dtype_name, case, call):
    """第 call 次调用时各 PE 的输入: 每次调用的数据都不同。"""
    inputs = []
    for pe in range(n_pes):
        base = base_data(pe, n_pes, job, dtype_name, case)
        inputs.append({name: changed(value, call) for name, value in base.items()})
    seed = f"{job['seed']}/{dtype_name}/{case}/{call}"
    arrange(n_pes, inputs, attributes_in(call, n_pes, job["cases"][case]), random.Random(seed))
    for mine in inputs:
        mine.update({name: inputs[0][name] for name in SHARED})
    return inputs


def as_bytes(tensor):
    """张量内容的字节 (按元素顺序), 连续的张量不复制。"""
    import torch

    flat = tensor.contiguous().reshape(-1)
    return memoryview(b"" if flat.numel() == 0 else flat.view(torch.uint8).numpy())


def digest(tensors):
    """内容摘要, 用于记录和比较; 大张量也要快, 所以用 CRC。"""
    value = 0
    for name in sorted(tensors):
        value = zlib.crc32(as_bytes(tensors[name]), zlib.crc32(name.encode(), value))
    return f"{value:08x}"


def poisoned(shape, dtype):
    """CPU 上的投毒张量。"""
    import torch

    raw = torch.full((math.prod(shape) * dtype.itemsize,), 0 if dtype == torch.bool else POISON, dtype=torch.uint8)
    return raw.view(dtype).view(shape)


def with_untouched_rows(value, shape):
    """golden 给出的行数少于输出时, 其余各行必须保持调用前的内容 (即投毒值)。"""
    import torch

    missing = shape[0] - value.shape[0] if value.dim() == len(shape) > 0 else 0
    if missing <= 0 or list(value.shape[1:]) != list(shape[1:]):
        return value
    return torch.cat([value, poisoned([missing, *shape[1:]], value.dtype)])


class DeviceTensor:
    """设备上的一个张量, 按指定布局放在一块更大的、已投毒的存储里。"""

    def __init__(self, shape, dtype, layout):
        import torch

        count = 1
        for size in shape:
            count *= size
        if layout == "strided" and len(shape) >= 2:
            # 最后两维互换存放, 并多留一列: 既不连续, 也有空隙
            stored = [*shape[:-2], shape[-1], shape[-2] + 1]
            self.storage = torch.empty(stored, dtype=dtype, device="npu")
            self.view = self.storage.narrow(-1, 0, shape[-2]).transpose(-1, -2)
        elif layout == "permuted" and len(shape) >= 2:
            # 最后两维互换存放, 没有空隙: 只看是否稠密, 会误当作连续
            self.storage = torch.empty([*shape[:-2], shape[-1], shape[-2]], dtype=dtype, device="npu")
            self.view = self.storage.transpose(-1, -2)
        elif layout == "offset_view":
            self.storage = torch.empty(count + 7, dtype=dtype, device="npu")
            self.view = self.storage.narrow(0, 5, count).view(shape)
        else:
            self.storage = torch.empty(shape, dtype=dtype, device="npu")
            self.view = self.storage
        self.poison()

    def poison(self):
        if self.storage.numel() > 0:
            self.storage.copy_(poisoned(self.storage.shape, self.storage.dtype))

    def outside_is_untouched(self):
        """视图之外的字节没有被写过。"""
        import torch

        if self.storage.dtype == torch.bool or self.storage.numel() == self.view.numel():
            return True
        copy = self.storage.cpu()
        blank = poisoned(copy.shape, copy.dtype)
        offset, shape, strides = self.view.storage_offset(), self.view.shape, self.view.stride()
        blank.as_strided(shape, strides, offset).copy_(copy.as_strided(shape, strides, offset))
        return same_bytes(copy, blank)


# ---- golden 自身的检验 ----


def golden_doubts(n_pes, dtype_name, case):
    """在一个用例中 golden 有什么可疑; 没有结果可看时是 None。"""
    job, attrs = {"seed": 0, "cases": CASES}, attributes_in(0, n_pes, CASES[case])
    inputs, others = (gen_data(n_pes, job, dtype_name, case, call) for call in (0, 1))
    results = [golden(pe, n_pes, inputs, attrs) for pe in range(n_pes)]
    digests = [digest(result) for result in results]
    if not any(value.numel() for result in results for value in result.values()):
        return None
    own = [{bytes(as_bytes(value)) for value in mine.values()} for mine in inputs]
    is_own = all(bytes(as_bytes(value)) in own[pe] for pe in range(n_pes) for value in results[pe].values())
    doubts = {
        "输入改变, 结果不变": digests == [digest(golden(pe, n_pes, others, attrs)) for pe in range(n_pes)],
        "每个 PE 的结果就是它自己的输入": n_pes > 1 and is_own,
        "各 PE 的结果应当不同, 却相同": n_pes > 1 and REPLICATED is False and len(set(digests)) == 1,
        "各 PE 的结果应当相同, 却不同": REPLICATED is True and len(set(digests)) > 1,
    }
    return {text for text, found in doubts.items() if found}


def golden_problems(n_pes, dtype_name, wanted):
    """从小到大试各用例, 到疑点全部消失为止; 返回留下的疑点。只用 CPU。"""
    left = None
    for case in sorted(CASES, key=lambda case: sum(map(math.prod, input_shapes(n_pes, CASES[case]).values()))):
        try:
            doubts = golden_doubts(n_pes, dtype_name, case)
        except Exception as error:
            if case in wanted:
                return [f"golden 出错: {case}: {type(error).__name__}: {error}"]
            continue  # 不在这次的用例中, 也许不适合这个 PE 数
        left = doubts if left is None else left & (left if doubts is None else doubts)
        if left == set():
            break
    return [f"golden 不可信: {doubt}" for doubt in sorted(left or [])]


# ---- 一个 PE ----


def find_library(name):
    """优先用本工程刚编译的库, 其次 LD_LIBRARY_PATH; 有多个候选时说明用了哪一个。"""
    folders = [@@folders@@]
    folders += [pathlib.Path(p) for p in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if p]
    for folder in folders:
        if (folder / name).is_file():
            return str(folder / name)
    raise FileNotFoundError(f"找不到 {name}: 先运行 @@build@@")


def load_libraries():
    """每个 worker 内加载: 先以 RTLD_GLOBAL 预加载 kernel 库, 再加载 Torch 扩展。"""
    import torch
    import torch_npu  # noqa: F401

@@preload@@    for name in KERNEL_LIBRARIES:
        ctypes.CDLL(find_library(name), mode=ctypes.RTLD_GLOBAL)
    torch.ops.load_library(find_library(LIBRARY))


class Recorder:
    """把每次调用的结果立即写入文件, 每行一条 JSON。"""

    def __init__(self, job, pe):
        self.nonce = job["nonce"]
        self.pe = pe
        self.file = open(os.path.join(job["folder"], f"pe{pe}.jsonl"), "a", encoding="utf-8")

    def add(self, **fields):
        self.file.write(json.dumps({"nonce": self.nonce, "pe": self.pe, **fields}) + "\n")
        self.file.flush()


def same_bytes(got, want):
    """逐位相等 (NaN 也按位比较)。"""
    import torch

    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    return got.numel() == 0 or torch.equal(got.reshape(-1).view(torch.uint8), want.reshape(-1).view(torch.uint8))


def first_difference(got, want):
    a, b = as_bytes(got), as_bytes(want)
    size = got.element_size()
    for at in range(min(len(a), len(b))):
        if a[at] != b[at]:
            index = at // size
            return f"第 {index} 个元素: 得到 {got.reshape(-1)[index].item()}, 应为 {want.reshape(-1)[index].item()}"
    return ""


@@compare@@

def layouts_of(pe, call):
    """输入和输出的布局: 各次调用不同, 同一次调用中各 PE 也不同。"""
    return LAYOUTS[(call + pe) % len(LAYOUTS)], LAYOUTS[(3 * call + pe + 1) % len(LAYOUTS)]


def prepare(pe, job, dtype_name, case, call):
    """一次调用所需的一切: 新的输入、已投毒的输出、应有的结果。"""
    import torch

    n_pes = job["pes"]
    in_layout, out_layout = layouts_of(pe, call)
    attrs = attributes_in(call, n_pes, job["cases"][case])
    everyone = gen_data(n_pes, job, dtype_name, case, call)
    want = golden(pe, n_pes, everyone, attrs)
    given = {name: value.numel() for name, value in want.items()}
    ins, outs = {}, {}
    for name, value in everyone[pe].items():
        ins[name] = DeviceTensor(list(value.shape), value.dtype, in_layout)
        ins[name].source = value.npu()
    outs.update({name: ins[name] for name in OUTPUTS if name in ins})  # 既读又写的张量
    if unknown := [name for name in outs if name not in want]:
        raise KeyError(f"golden 没有给出 {unknown}")
    for name, shape in output_shapes(n_pes, job["cases"][case]).items():
        if name in want:  # 否则这个 PE 没有它, 传 None
            outs[name] = DeviceTensor(list(shape), getattr(torch, OUTPUTS[name] or DTYPES[dtype_name]), out_layout)
            want[name] = with_untouched_rows(want[name], shape)
    return types.SimpleNamespace(dtype=dtype_name, case=case, call=call, layout=f"{in_layout} -> {out_layout}", attrs=attrs,
                                 mine=everyone[pe], want=want, given=given, ins=ins, outs=outs, after={})


def submit(op, step):
    """一次调用和紧邻的 torch 算子: 前一个产生输入, 后一个使用输出, 都不同步。"""
    for tensor in step.ins.values():
        tensor.view.copy_(tensor.source)
    only_read = [step.ins[name].view for name in INPUTS if name not in OUTPUTS]
    op.compute(*[step.outs[name].view if name in step.outs else None for name in OUTPUTS], *only_read, **step.attrs)
    step.after = {name: tensor.view.clone() for name, tensor in step.outs.items()}


def submit_on_streams(ops, steps):
    """每次调用换一个流 (两个旁流和默认流), 各流之间只用事件排序。"""
    import torch

    streams = [torch.npu.Stream(), torch.npu.current_stream(), torch.npu.Stream()]
    done = streams[1].record_event()
    for index, step in enumerate(steps):
        stream = streams[index % len(streams)]
        with torch.npu.stream(stream):
            stream.wait_event(done)
            submit(ops[index % len(ops)], step)
            done = stream.record_event()


def file_result(step, pe, n_pes, recorder):
    """比较一次调用的结果并写入记录; 返回是否正确。"""
    compared = {name: compare(value.cpu(), step.want[name], step.given[name], OUTPUTS[name] or DTYPES[step.dtype], n_pes)
                for name, value in step.after.items()}
    same = set(compared) == set(step.want) and all(result["equal"] for result in compared.values())
    untouched = all(tensor.outside_is_untouched() for tensor in step.outs.values())
    details = [f"{name}: {result['detail']}" for name, result in compared.items() if not result["equal"]]
    detail = details[0] if details else "" if untouched else "输出视图之外的内存被改写"
    recorder.add(dtype=step.dtype, case=step.case, call=step.call, layout=step.layout, input=digest(step.mine), outputs=compared,
                 equal=same and untouched, detail=detail)
    if not (same and untouched):
        print(f"[PE {pe}] 失败: {step.dtype} {step.case} 第 {step.call} 次 ({step.layout}): {detail}", flush=True)
    return same and untouched


def run_calls(ops, pe, job, order, recorder):
    """连续调用 order 中的各次 (类型, 用例, 次序): 每次新数据、新布局, 中间没有任何同步或屏障; 有几个对象就轮流用。"""
    import torch

    steps = [prepare(pe, job, *item) for item in order]
    torch.npu.synchronize()
    if job["straggler"] == pe:
        time.sleep(0.03)
    if job.get("side_streams"):
        submit_on_streams(ops, steps)
    else:
        for index, step in enumerate(steps):
            submit(ops[index % len(ops)], step)
    torch.npu.synchronize()
    return sum(not file_result(step, pe, job["pes"], recorder) for step in steps)


def orders(job, calls):
    """各次调用的次序。通常一个用例接一个用例; mixed 时各种形状和类型在同一个对象上交替。"""
    if job.get("mixed"):
        return [[(dtype, case, call) for call in calls for case in job["cases"] for dtype in job["dtypes"]]]
    return [[(dtype, case, call) for call in calls] for dtype in job["dtypes"] for case in job["cases"]]


def live(pe, job, life, recorder):
    """SHMEM 的第 life 次初始化到收尾; 每次分担一部分调用。返回失败的次数。"""
    import torch

    endpoints = [job["ip_port"], *job.get("next_ip_ports", [])]
    recorder.add(step="init")
    manager = torch.classes.ShmemOps.Manager()
    status = manager.attr_init(pe, job["pes"], LOCAL_MEM_SIZE, endpoints[life])
    if status != 0:
        raise RuntimeError(f"attr_init 返回 {status}")
    recorder.add(step="create")
    ops = [getattr(torch.classes.ShmemOps, CLASS)() for _ in range(job.get("objects", 1))]
    recorder.add(step="compute")
    first, last = (job["calls"] * at // len(endpoints) for at in (life, life + 1))
    wrong = sum(run_calls(ops, pe, job, order, recorder) for order in orders(job, range(first, last)))
    recorder.add(step="close")
    for op in ops:
        op.close()
    recorder.add(step="finalize")
    manager.finalize()
    return wrong


def worker(pe, job):
    """一个 PE 的全部工作; 返回退出码。每一步先记下它的名字, 失败时由此知道停在哪里。"""
    for name, value in job.get("environment", {}).items():
        os.environ[name] = value
    recorder = Recorder(job, pe)
    stack = open(os.path.join(job["folder"], f"pe{pe}.stack"), "w", encoding="utf-8")
    faulthandler.register(signal.SIGUSR1, file=stack, all_threads=True, chain=False)  # 父进程在期限到时询问
    recorder.add(step="device")
    import torch
    import torch_npu  # noqa: F401

    torch.set_num_threads(1)
    torch.npu.set_device(pe % torch.npu.device_count())
    recorder.add(step="load")
    load_libraries()
    wrong = sum(live(pe, job, life, recorder) for life in range(job.get("lives", 1)))
    recorder.add(finished=True, step="done", version=torch_npu.__version__, path=os.path.dirname(torch_npu.__file__))
    print(f"[PE {pe}] {'通过' if wrong == 0 else '失败'}", flush=True)
    return 1 if wrong else 0


def end_with_parent(parent):
    """父进程 (进程号 parent) 被杀死时, 本进程也随之结束 (Linux 的 PR_SET_PDEATHSIG), 不留下孤儿进程。"""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def worker_process(pe, job, parent):
    """子进程入口: 不回到父进程的代码, 不做解释器收尾。"""
    end_with_parent(parent)
    code = 1
    try:
        code = worker(pe, job)
    except BaseException as error:  # 记录后退出, 由父进程判断
        print(f"[PE {pe}] 异常: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


