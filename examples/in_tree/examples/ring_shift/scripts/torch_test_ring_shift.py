# Written by shmem-bind 0.1.0: examples/ring_shift/docs/design.md
<<<<<<< HEAD
# contract 6bd9fca4fbbe80bc, text 9e75a9a46184f078
=======
# contract 6bd9fca4fbbe80bc, text 9ff5ceb8572b8a50
>>>>>>> k-full
"""RingShift 算子的多 PE 测试。

单独运行:        python torch_test_ring_shift.py --pes 8
只测一种类型:    python torch_test_ring_shift.py --pes 2 --dtype int8 --case xs
torchrun 运行:   torchrun --nproc-per-node 8 torch_test_ring_shift.py

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
OP = "ring_shift"
CLASS = "RingShift"
LIBRARY = "aclshmem_torch.so"
KERNEL_LIBRARIES = ["libring_shift_kernel.so"]
DTYPES = {"int8": "int8", "fp16": "float16", "fp32": "float32"}
CASES = {
    "xs": {"cols": 32, "rows": 64},
    "tail": {"cols": 13, "rows": 7},
    "degenerate": {"cols": 256, "rows": 1},
    "s": {"cols": 257, "rows": 513},
    "m": {"cols": 1031, "rows": 512},
}
INPUTS = {"input": None}
OUTPUTS = {"output": None}
SHARED = []  # 所有 PE 必须一致的输入
ATTRIBUTES = {}  # compute 的关键字参数; 用例可以另给值
ROTATING = []  # 各次调用轮换的 PE 号
OPTIONAL = []  # 有的 PE 可以没有的输出
REPLICATED = None  # 各 PE 的正确结果: True 相同, False 不同, None 未知
LOCAL_MEM_SIZE = 256 << 20  # 每个 PE 的对称内存字节数
LAYOUTS = ["contiguous", "offset_view", "strided", "permuted"]  # 各次调用轮流使用的内存布局
POISON = 0xA5

HERE = pathlib.Path(__file__).resolve().parent
INSTALL = HERE.parents[2] / "install/shmem"
KERNELS = INSTALL / "torch_binding/kernels"


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
    return {
        "input": [symbols["rows"], symbols["cols"]],
    }


def output_shapes(n_pes, symbols):
    """各输出张量的形状。"""
    return {
        "output": [symbols["rows"], symbols["cols"]],
    }


def contract_code():
    """契约自带的代码。"""
    def golden(pe, n_pes, inputs, attrs):
        return {"output": inputs[(pe + n_pes - 1) % n_pes]["input"]}

    return locals()


def golden(pe, n_pes, inputs, attrs):
    """CPU 参考结果。inputs[p][名字] 是 PE p 的输入。"""
    return contract_code()["golden"](pe, n_pes, inputs, attrs)


def arrange(n_pes, inputs, attrs, random):
    """把随机输入改成有意义的值 (例如表)。inputs[p][名字] 是 PE p 的输入, random 是 random.Random。"""
    contract_code().get("arrange", lambda *_: None)(n_pes, inputs, attrs, random)


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
    folders = [INSTALL / "lib", KERNELS]
    folders += [pathlib.Path(p) for p in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if p]
    for folder in folders:
        if (folder / name).is_file():
            return str(folder / name)
    raise FileNotFoundError(f"找不到 {name}: 先运行 scripts/build.sh -python_example")


def load_libraries():
    """每个 worker 内加载: 先以 RTLD_GLOBAL 预加载 kernel 库, 再加载 Torch 扩展。"""
    import torch
    import torch_npu  # noqa: F401

    ctypes.CDLL("libascendcl.so", mode=ctypes.RTLD_GLOBAL)  # 源码树的 kernel 库不一定链接它
    for path in sorted(KERNELS.glob("lib*_kernel.so")):  # Torch 扩展链接了全部算子的 kernel 库
        ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    for name in KERNEL_LIBRARIES:
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


def compare(got, want, given, kind, pes):
    """一个输出的比较结果: 搬运类算子逐位相等。"""
    equal = same_bytes(got, want)
    return {"kind": "bitwise", "golden": digest({"": want}), "output": digest({"": got}), "equal": equal,
            "detail": "" if equal else first_difference(got, want)}


def agrees(result, kind, pes):
    """父进程对一个输出的判断, 不只看 PE 的结论。"""
    return result["kind"] == "bitwise" and result["golden"] == result["output"]


def comparison(job):
    return "逐位相等"


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


# ---- 启动和看护各 PE ----


AGENT = "SHMEM_BIND_AGENT"  # torchrun 的进程号, 即各 PE 的父进程


def fresh_endpoint():
    """由系统给出一个空闲端口。"""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


def start_workers(job):
    """启动各 PE; 每个 PE 的输出进入自己的管道。返回 (进程号, 管道) 的列表。"""
    started = []
    parent = os.getpid()
    for pe in range(job["pes"]):
        reader, writer = os.pipe()
        if job["launcher"] == "spawn":
            text = json.dumps({"pe": pe, "job": job, "parent": parent})
            command = [sys.executable, str(pathlib.Path(__file__).resolve()), "--worker", text]
            pid = subprocess.Popen(command, stdout=writer, stderr=writer).pid
        else:
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                os.dup2(writer, 1)
                os.dup2(writer, 2)
                worker_process(pe, job, parent)
        os.close(writer)
        os.set_blocking(reader, False)
        started.append((pid, reader))
    return started


class Watch:
    """看护一个任务的各 PE: 用 pidfd 等待, 转发输出, 第一个失败后 2 秒内结束其余的。

    codes {pe: 退出码, 按结束的先后}, lines {pe: 输出的各行}, killed 被父进程结束的 PE, stands {pe: 超时时停在哪里}。
    """

    def __init__(self, started, job):
        self.pids = [pid for pid, _ in started]
        self.pipes = [pipe for _, pipe in started]
        self.folder = job["folder"]
        self.codes, self.killed, self.stands = {}, set(), {}
        self.lines = {pe: [] for pe in range(len(started))}
        self.rest = {pe: b"" for pe in range(len(started))}
        self.poller = select.poll()
        self.owner = {}  # 描述符 -> PE
        self.ends = []  # 各进程的 pidfd; 内核不支持时为空, 改为定时查看
        try:
            for pid in self.pids:
                self.ends.append(os.pidfd_open(pid))
        except (AttributeError, OSError):
            pass
        for pe, descriptor in [*enumerate(self.pipes), *enumerate(self.ends)]:
            self.owner[descriptor] = pe
            self.poller.register(descriptor, select.POLLIN)

    def run(self, deadline):
        stop_at = None
        try:
            while len(self.codes) < len(self.pids):
                self.step(min(deadline if stop_at is None else stop_at, time.monotonic() + 60) - time.monotonic())
                now = time.monotonic()
                if stop_at is None and any(self.codes.values()):
                    stop_at = now + 2
                if stop_at is None and now > deadline and len(self.codes) < len(self.pids):
                    print("超时: 询问各 PE 停在哪里, 然后结束它们", file=sys.stderr, flush=True)
                    self.ask()
                    stop_at = now
                if stop_at is not None and now >= stop_at:
                    self.kill()
        finally:
            self.kill()  # 也包括 Ctrl-C
            for descriptor in [*self.pipes, *self.ends]:
                os.close(descriptor)
        return self

    def step(self, seconds):
        """等到有输出、有 PE 结束或时间到。"""
        limit = seconds if len(self.ends) == len(self.pids) else min(seconds, 0.02)
        for descriptor, _ in self.poller.poll(max(limit, 0) * 1000):
            if descriptor in self.pipes:
                if not self.read(self.owner[descriptor]):
                    self.poller.unregister(descriptor)  # 写端已全部关闭
            else:
                self.poller.unregister(descriptor)
        for pe, pid in enumerate(self.pids):
            if pe not in self.codes:
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    self.codes[pe] = os.waitstatus_to_exitcode(status)
                    self.read(pe, last=True)

    def read(self, pe, last=False):
        """读出管道里现有的内容, 按行加上 PE 号打印。"""
        is_open = True
        while True:
            try:
                data = os.read(self.pipes[pe], 1 << 16)
            except BlockingIOError:
                break
            if not data:
                is_open = False
                break
            self.rest[pe] += data
        *lines, self.rest[pe] = self.rest[pe].split(b"\n")
        if last and self.rest[pe]:
            lines.append(self.rest[pe])
            self.rest[pe] = b""
        for line in lines:
            text = line.decode("utf-8", "replace").removeprefix(f"[PE {pe}] ")
            self.lines[pe].append(text)
            print(f"[PE {pe}] {text}", flush=True)
        return is_open

    def ask(self):
        """各 PE 收到 SIGUSR1 后写下 Python 栈; 运行库若另有说明 (设备停在哪里), 写在输出里。"""
        before = {pe: len(lines) for pe, lines in self.lines.items()}
        asked = [pe for pe in range(len(self.pids)) if pe not in self.codes]
        for pe in asked:
            os.kill(self.pids[pe], signal.SIGUSR1)
        until = time.monotonic() + 0.5
        while (left := until - time.monotonic()) > 0 and len(self.codes) < len(self.pids):
            self.step(left)
        for pe in asked:
            path = pathlib.Path(self.folder, f"pe{pe}.stack")
            stack = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
            self.stands[pe] = "\n".join([*self.lines[pe][before[pe]:], stack.strip()]).strip() or "没有回答"

    def kill(self):
        for pe, pid in enumerate(self.pids):
            if pe not in self.codes:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                self.codes[pe] = -signal.SIGKILL
                self.killed.add(pe)
                self.read(pe, last=True)


# ---- 失败的分类 ----


FOLLOWS = re.compile(r"peer-lost|peer lost|could not join|heap not initialized|进程已结束", re.I)  # 别的 PE 先失败, 这里随之失败
ERROR_LINE = re.compile(r"异常: |失败: |shmem-sim: finding|error|Traceback|failed", re.I)

# 自上而下, 第一条符合的规则给出类别。每条: 类别, 停在哪些步骤 (空: 任何), 首个错误行中的文字 (空: 任何), 提示。
RULES = [
    ("timeout", "", r"wait-deadline|did not end within|超时", "看 stands: 各 PE 停在哪里; 常见原因是少发了信号, 或某个 PE 没有走到同一个集合操作"),
    ("environment", "", r"in use|AccStoreServer startup failed|Address already", "端点被占用: 换一个 --ip-port, 或不给, 由系统选择"),
    ("environment", "", r"MemoryError|Cannot allocate memory|out of memory|No space left|bad_alloc|Too many open files",
     "内存、/dev/shm 或句柄不足: 减少 PE 数或形状, 用 df /dev/shm 和 ulimit -a 查看"),
    ("load", "load", "", "库没有加载成功: 核对 LD_LIBRARY_PATH, 重新编译, 用 ldd -r 查看缺少的符号"),
    ("init", "init", "", "attr_init 失败: 各 PE 的 n_pes、local_mem_size、端点须一致, 见首个错误行"),
    ("launch", "start device", "", "PE 在初始化之前就结束了: 看设备、torch_npu 和环境变量"),
    ("lifecycle", "close finalize done", "", "收尾时失败: 先 close 各对象, 再 finalize; 析构函数里不能有集合操作"),
    ("launch", "create compute", "异常: |kernel-fault|finding", "算子的构造或 kernel 出错: 看首个错误行的位置"),
    ("lifecycle", "", "", "PE 中途结束 (被信号杀死, 或没有走到结尾): 看退出码和它的最后一步"),
]
KIND_RULES = {
    "mismatch": ("mismatch", "结果与 golden 不同: 先核对输入, 再看是哪个 PE、哪一块、尾部还是同步, 见 calls"),
    "record": ("lifecycle", "记录缺少、重复或不属于该 PE: 测试脚本或 worker 没有按约定运行"),
    "golden": ("mismatch", "没有可信的 golden 可比: 修正 docs/design.md 中的 golden"),
}


def first_failed(watch, steps):
    """第一个自己失败 (而不是随别人失败) 的 PE; 没有则是 None。"""
    failed = [pe for pe, code in watch.codes.items() if code != 0 and pe not in watch.killed]
    failed.sort(key=lambda pe: is_follower(watch, pe) or (watch.codes[pe] == 1 and steps.get(pe) == "done"))
    return failed[0] if failed else None


def is_follower(watch, pe):
    """它最早的错误就是别的 PE 造成的。"""
    wrong = [line for line in watch.lines[pe] if ERROR_LINE.search(line)]
    return watch.codes[pe] >= 0 and bool(wrong and FOLLOWS.search(wrong[0]))


def first_line(lines):
    wrong = [line for line in lines if ERROR_LINE.search(line)]
    return next((line for line in wrong if not FOLLOWS.search(line)), wrong[0] if wrong else "")


def classify(watch, steps, kinds):
    """失败的类别、提示和首个有效错误。steps {pe: 最后一步}, kinds 记录中发现的问题的种类。"""
    if watch.stands:
        return {"class": "timeout", "hint": RULES[0][3], "first_error": "到期限时 " + "; ".join(
            f"PE {pe} 在 {steps.get(pe, 'start')}" for pe in sorted(watch.stands))}
    pe = None if "golden" in kinds else first_failed(watch, steps)
    if pe is None or (watch.codes[pe] == 1 and steps.get(pe) == "done" and kinds):
        kind = next((kind for kind in ("golden", "record", "mismatch") if kind in kinds), "record")
        line = next((f"PE {p}: {line}" for p, lines in watch.lines.items() if (line := first_line(lines))), kinds.get(kind, ""))
        return {"class": KIND_RULES[kind][0], "hint": KIND_RULES[kind][1], "first_error": line if kind == "mismatch" else kinds.get(kind, line)}
    step, code = steps.get(pe, "start"), watch.codes[pe]
    line = first_line(watch.lines[pe]) or f"退出码 {code}, 最后一步 {step}"
    for name, at, text, hint in RULES:
        if (not at or step in at.split()) and re.search(text, line, re.I):
            return {"class": name, "hint": hint, "first_error": f"PE {pe}: {line}"}


# ---- 父进程 ----


def read_records(job):
    """各 PE 写下的记录; 被杀死的 PE 最后一行可能不完整, 略过。每条记录带上它所在文件的 PE 号。"""
    records = []
    for pe in range(job["pes"]):
        path = os.path.join(job["folder"], f"pe{pe}.jsonl")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                records += [{**json.loads(line), "file": pe} for line in file if line.endswith("}\n")]
    return records


def is_accepted(record, pes):
    """输出齐全, 且父进程对每个输出的判断与 PE 的结论一致。"""
    outputs = record["outputs"]
    complete = set(OUTPUTS) - set(OPTIONAL) <= set(outputs) <= set(OUTPUTS)
    return record["equal"] and complete and all(agrees(outputs[name], OUTPUTS[name] or DTYPES[record["dtype"]], pes) for name in outputs)


def judge(job, codes):
    """核对退出码和记录。返回 (种类, 问题) 的列表、{键: 记录}、{pe: 最后一步} 和收尾记录。"""
    problems = [("exit", f"PE {pe} 的退出码是 {code}") for pe, code in sorted(codes.items()) if code != 0]
    records = read_records(job)
    seen = {}
    for record in records:
        if record["nonce"] != job["nonce"]:
            problems.append(("record", f"PE {record['file']} 的记录不属于这次运行"))
        elif record["pe"] != record["file"]:
            problems.append(("record", f"PE {record['file']} 写了 PE {record['pe']} 的记录"))
        elif "call" in record:
            key = (record["pe"], record["dtype"], record["case"], record["call"])
            if key in seen:
                problems.append(("record", f"重复的记录: {key}"))
            seen[key] = record
    for dtype_name in job["dtypes"]:
        for case in job["cases"]:
            for call in range(job["calls"]):
                problems += judge_call(job, dtype_name, case, call, [seen.get((pe, dtype_name, case, call)) for pe in range(job["pes"])])
    finished = {record["file"] for record in records if record.get("finished")}
    problems += [("record", f"PE {pe} 没有完成收尾") for pe in range(job["pes"]) if pe not in finished and codes.get(pe) == 0]
    steps = {record["file"]: record["step"] for record in records if "step" in record}
    return problems, seen, steps, next((r for r in records if r.get("finished")), {})


def judge_call(job, dtype_name, case, call, row):
    """一次调用中各 PE 的记录 row (没有的是 None) 有什么问题。"""
    name = f"{dtype_name} {case} 第 {call} 次"
    missing = [pe for pe, record in enumerate(row) if record is None]
    if missing:
        return [("record", f"{name}: PE {missing} 没有结果")]
    problems = [("mismatch", f"{name}: PE {pe} 结果不符 ({record['layout']}): {record['detail'] or '记录自相矛盾'}")
                for pe, record in enumerate(row) if not is_accepted(record, job["pes"])]
    if len(INPUTS) > len(SHARED) and len({record["input"] for record in row}) != job["pes"]:
        mine = gen_data(job["pes"], job, dtype_name, case, call)[0]
        total = sum(len(as_bytes(value)) for name, value in mine.items() if name not in SHARED)  # 共享的输入本来就相同
        if total >= 8:
            problems.append(("record", f"{name}: 不同 PE 的输入相同, 结果没有意义"))
    return problems


def result_of(job, watch, begin, doubts=()):
    """一个任务的结果字典。"""
    problems, seen, steps, end = judge(job, watch.codes)
    problems += [("timeout", f"PE {sorted(watch.stands)} 到期限 {job['deadline']} s 时没有结束")] if watch.stands else []
    problems = [("golden", text) for text in doubts] or problems
    kinds = {kind: text for kind, text in reversed(problems) if kind != "exit"}
    wrong = [record for record in seen.values() if not is_accepted(record, job["pes"])]
    fields = ("pe", "dtype", "case", "call", "layout", "equal", "detail", "seconds")
    cause = classify(watch, steps, kinds) if problems else {"class": "", "hint": "", "first_error": ""}
    return {"name": job.get("name", ""), "pes": job["pes"], "launcher": job["launcher"], "passed": not problems, **cause,
            "problems": [text for _, text in problems[:20]], "records": len(seen),
            "expected": job["pes"] * len(job["dtypes"]) * len(job["cases"]) * job["calls"],
            "exit_codes": [watch.codes[pe] for pe in range(job["pes"])], "seconds": round(time.monotonic() - begin, 3),
            "stands": watch.stands, "calls": [{field: record.get(field) for field in fields} for record in wrong[:50]],
            "comparison": comparison(job), "torch_npu": end.get("version", ""), "torch_npu_path": end.get("path", "")}


def refused(job, kind, problems):
    """没有启动 PE, 或没有留下结果的任务。"""
    name, hint = KIND_RULES[kind]
    return {"name": job.get("name", ""), "pes": job["pes"], "launcher": job["launcher"], "passed": False, "class": name, "hint": hint,
            "first_error": problems[0], "problems": problems, "records": 0, "expected": 0, "seconds": 0, "stands": {}, "calls": []}


def skipped(job, after):
    """没有运行的任务: 同样多的 PE 上前面的任务 after 没有结束, 这一个多半也会等到期限。"""
    return {"name": job.get("name", ""), "pes": job["pes"], "launcher": job["launcher"], "passed": False, "class": "",
            "skipped": f"任务 {after} 没有结束, 其后同样 PE 数的任务不再运行", "problems": [], "records": 0, "expected": 0, "seconds": 0}


def check_golden(jobs):
    """启动任何 PE 之前, 在子进程中检验 golden (父进程不做张量运算); 返回问题列表。"""
    reader, writer = os.pipe()
    parent = os.getpid()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        end_with_parent(parent)
        signal.alarm(60)
        try:
            problems = []
            for pes in dict.fromkeys(job["pes"] for job in jobs):
                mine = [job for job in jobs if job["pes"] == pes]
                problems += golden_problems(pes, next(iter(mine[0]["dtypes"])), {case for job in mine for case in job["cases"]})
            os.write(writer, json.dumps(problems).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else ["golden 的检验没有完成"]


def run_job(job):
    """运行一个任务, 返回结果字典。"""
    with tempfile.TemporaryDirectory(prefix="shmem-bind-") as folder:
        job = {"straggler": job["seed"] % job["pes"], "environment": {}, **job, "folder": folder, "nonce": uuid.uuid4().hex}
        job.setdefault("ip_port", fresh_endpoint())
        job.setdefault("next_ip_ports", [fresh_endpoint() for _ in range(1, job.get("lives", 1))])
        if isinstance(job["cases"], list):  # 任务里可以只写用例名
            job["cases"] = {name: CASES[name] for name in job["cases"]}
        begin = time.monotonic()
        npu = getattr(sys.modules.get("torch"), "npu", None)
        if job["launcher"] == "fork" and npu is not None and npu.is_initialized():
            print("本进程已使用过设备, 不能再 fork: 改用 spawn", file=sys.stderr, flush=True)
            job["launcher"] = "spawn"
        return result_of(job, Watch(start_workers(job), job).run(begin + job["deadline"]), begin)


def run_under_torchrun(args):
    """由 torchrun 启动: 每个进程就是一个 PE; 用 gloo 传递端点、收集结果。"""
    end_with_parent(int(os.environ.get(AGENT, os.getppid())))
    import torch.distributed as dist

    begin = time.monotonic()
    doubts = check_golden([{**make_job(args), "pes": int(os.environ["WORLD_SIZE"])}]) if os.environ["RANK"] == "0" else []
    dist.init_process_group("gloo")
    pe, pes = dist.get_rank(), dist.get_world_size()
    shared = [None]
    if pe == 0:
        shared = [{"doubts": doubts, "ip_port": args.ip_port or fresh_endpoint(), "nonce": uuid.uuid4().hex,
                   "folder": tempfile.mkdtemp(prefix="shmem-bind-")}]
    dist.broadcast_object_list(shared, src=0)
    job = {**make_job(args), **shared[0], "pes": pes, "straggler": args.seed % pes}
    code = 1 if job["doubts"] else worker(pe, job)
    codes = [None] * pes
    dist.all_gather_object(codes, code)
    if pe == 0:
        watch = argparse.Namespace(codes=dict(enumerate(codes)), killed=set(), stands={}, lines={pe: [] for pe in range(pes)})
        result = result_of({**job, "name": "torchrun", "launcher": "torchrun"}, watch, begin, doubts)
        finish([result], args.report)
        code = 0 if result["passed"] else 1
    dist.barrier()
    sys.stdout.flush()
    os._exit(code)


def torchrun_command(pes, arguments):
    return [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(pes),
            str(pathlib.Path(__file__).resolve()), *arguments]


def start_torchrun(job, path):
    """任务表中的 torchrun 任务: 另起一组进程, 与其余任务同时进行。"""
    arguments = ["--dtype", *job["dtypes"], "--case", *job["cases"], "--seed", str(job["seed"]), "--calls", str(job["calls"]),
                 "--report", path]
    parent = os.getpid()

    def become_agent():
        end_with_parent(parent)
        os.environ.update(job.get("environment", {}), **{AGENT: str(os.getpid())})

    with open(path + ".log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(torchrun_command(job["pes"], arguments), stdout=log, stderr=subprocess.STDOUT, preexec_fn=become_agent)
    process.began = time.time()
    return process


def end_torchrun(job, process, path):
    """等待它结束, 返回它的结果字典; 超时则结束它 (各 PE 随之结束)。"""
    late = {}
    try:
        code = process.wait(timeout=job["deadline"])
    except subprocess.TimeoutExpired:
        late = {"class": RULES[0][0], "hint": RULES[0][3]}
        process.kill()
        code = process.wait()
    ended = max(os.path.getmtime(name) for name in (path + ".log", path) if os.path.exists(name))  # 最后一次写文件的时刻
    with open(path + ".log", encoding="utf-8", errors="replace") as log:
        said = log.read()
    print(said, end="", flush=True)
    result = refused(job, "record", ["torchrun 没有留下结果"])
    result["first_error"] = first_line(said.splitlines()) or result["first_error"]
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            result = json.load(file)["results"][0]
    problems = result["problems"] + ([f"torchrun 的退出码是 {code}"] if code != 0 else [])
    if problems and not result["class"]:  # 各 PE 都通过了, 之后才失败
        result.update(refused(job, "record", problems))
    seconds = round(max(ended - getattr(process, "began", ended), 0), 3)
    return {**result, **late, "name": job.get("name", ""), "seconds": seconds, "passed": result["passed"] and not problems, "problems": problems}


def run_jobs(jobs):
    """依次运行各任务; torchrun 任务在旁边进行, 到它时才等它。返回各任务的结果字典。"""
    results = []
    with tempfile.TemporaryDirectory(prefix="shmem-bind-") as folder:
        paths = [os.path.join(folder, f"{index}.json") for index in range(len(jobs))]
        beside = {path: start_torchrun(job, path) for job, path in zip(jobs, paths) if job["launcher"] == "torchrun"}
        # 导入一次, 各 PE 由此 fork; 父进程不做任何张量运算, 不触碰设备
        import torch
        import torch_npu  # noqa: F401

        torch.set_num_threads(1)
        gc.freeze()  # 各 PE 不再扫描导入的模块
        problems = check_golden(jobs)
        hung = {}  # PE 数 -> 没有结束的任务
        for job, path in zip(jobs, paths):
            if path in beside:
                results.append(end_torchrun(job, beside[path], path))
            elif job["pes"] in hung and not job.get("keep_going", True):
                results.append(skipped(job, hung[job["pes"]]))
            else:
                results.append(refused(job, "golden", problems) if problems else run_job(job))
            if results[-1]["class"] == "timeout":
                hung.setdefault(job["pes"], job.get("name", ""))
            mark = "通过" if results[-1]["passed"] else "未运行" if "skipped" in results[-1] else "失败"
            print(f"进度 {len(results)}/{len(jobs)} {job.get('name', '')} {mark} {results[-1]['seconds']} s", flush=True)
    return results


def finish(results, report):
    for result in results:
        mark = "通过" if result["passed"] else result.get("skipped", "失败")
        print(f"[{result['name'] or OP}] {result['pes']} PE, {result['launcher']}, {result['records']}/{result['expected']} 条结果: {mark}"
              f" ({result.get('comparison', '没有比较')})")
        if result.get("class"):
            print(f"    [{result['class']}] {result['first_error']}\n    提示: {result['hint']}")
        for problem in result["problems"]:
            print(f"    {problem}")
        for pe, text in sorted(result.get("stands", {}).items()):
            print(f"    PE {pe} 停在:\n" + "\n".join(f"        {line}" for line in text.splitlines()))
    if report:
        with open(report, "w", encoding="utf-8") as file:
            json.dump({"op": OP, "results": results}, file, ensure_ascii=False, indent=1)
            file.write("\n")
    sys.stdout.flush()
    return 0 if all(result["passed"] for result in results) else 1


def make_job(args):
    return {"pes": args.pes, "dtypes": args.dtype or list(DTYPES), "cases": {name: CASES[name] for name in args.case or CASES}, "seed": args.seed,
            "calls": args.calls, "launcher": args.launcher, "deadline": args.deadline}


def parse(arguments):
    parser = argparse.ArgumentParser(description=f"{CLASS} 的多 PE 测试")
    parser.add_argument("--pes", type=int, default=8, help="PE 个数 (默认 8)")
    parser.add_argument("--dtype", nargs="+", choices=list(DTYPES), help="数据类型 (默认全部)")
    parser.add_argument("--case", nargs="+", choices=list(CASES), help="用例 (默认全部)")
    parser.add_argument("--shape", nargs="+", metavar="SYMBOL=SIZE", help="代替用例: 直接给出形状符号, 如 rows=64 cols=32")
    parser.add_argument("--seed", type=int, default=0, help="数据种子的一部分")
    parser.add_argument("--calls", type=int, default=6, help="同一对象连续调用的次数 (默认 6, 至少 3)")
    parser.add_argument("--launcher", choices=["fork", "spawn", "torchrun"], default="fork", help="启动方式")
    parser.add_argument("--ip-port", default="", help="端点 tcp://host:port (默认用空闲端口)")
    parser.add_argument("--deadline", type=float, default=120, help="秒, 超过即结束")
    parser.add_argument("--report", default="", help="结果写入这个 JSON 文件")
    parser.add_argument("--plan", default="", help="JSON 文件: 依次运行其中的多个任务")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.shape:
        CASES["shape"] = {key: int(value) for key, value in (item.split("=") for item in args.shape)}
        CASES["shape"].update(attributes_of(CASES["shape"]))
        args.case = ["shape"]
    if args.calls < 3 and not args.plan and not args.worker:
        parser.error("--calls 至少为 3: 一次调用看不出信号复用")
    return args


def main(arguments=None):
    args = parse(arguments)
    if args.worker:
        given = json.loads(args.worker)
        worker_process(**given)
    if args.launcher == "torchrun" and "RANK" not in os.environ:
        command = torchrun_command(args.pes, arguments or sys.argv[1:])
        sys.stdout.flush()
        os.environ[AGENT] = str(os.getpid())
        os.execv(command[0], command)
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        run_under_torchrun(args)
    if args.plan:
        with open(args.plan, encoding="utf-8") as file:
            jobs = json.load(file)
    else:
        jobs = [make_job(args)]
        if args.ip_port:
            jobs[0]["ip_port"] = args.ip_port
    return finish(run_jobs(jobs), args.report)


if __name__ == "__main__":
    try:
        code = main()
    except KeyboardInterrupt:  # 各 PE 已随之结束
        print("中断", file=sys.stderr, flush=True)
        code = 130
    sys.stdout.flush()
    os._exit(code)
