# Written by shmem-bind 0.1.0: custom-ops/all_gather/docs/design.md
# contract ea14fd91682dfd1d, text 144ef5bb1797e9c0
"""AllGather 算子的多 PE 测试。

单独运行:        python torch_test_all_gather.py --pes 8
只测一种类型:    python torch_test_all_gather.py --pes 2 --dtype int8 --case xs
torchrun 运行:   torchrun --nproc-per-node 8 torch_test_all_gather.py

每个 PE 为每次 compute 写一条记录, 父进程核对全部记录和全部退出码; 任何一项不符, 退出码不为 0。
"""

import argparse
import ctypes
import gc
import hashlib
import json
import math
import os
import pathlib
import random
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
OP = "all_gather"
CLASS = "AllGather"
LIBRARY = "shmem_custom_ops_torch.so"
KERNEL_LIBRARIES = ["liball_gather_kernel.so"]
DTYPES = {"int8": "int8", "int32": "int32", "fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}
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
REPLICATED = True  # 各 PE 的正确结果: True 相同, False 不同, None 未知
LOCAL_MEM_SIZE = 256 << 20  # 每个 PE 的对称内存字节数
LAYOUTS = ["contiguous", "offset_view", "strided"]  # 各次调用轮流使用的内存布局
POISON = 0xA5

HERE = pathlib.Path(__file__).resolve().parent
CUSTOM_OPS = HERE.parent.parent


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
        "output": [n_pes, symbols["rows"], symbols["cols"]],
    }


def golden(pe, n_pes, inputs, attrs):
    """CPU 参考结果。inputs[p][名字] 是 PE p 的输入。"""
    import torch

    return {"output": torch.stack([inputs[p]["input"] for p in range(n_pes)])}


def arrange(n_pes, inputs, attrs, random):
    """把随机输入改成有意义的值 (例如表)。inputs[p][名字] 是 PE p 的输入, random 是 random.Random。"""


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
    return LAYOUTS[(call + pe) % len(LAYOUTS)], LAYOUTS[(2 * call + pe + 1) % len(LAYOUTS)]


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
    manager = torch.classes.ShmemOps.Manager()
    status = manager.attr_init(pe, job["pes"], LOCAL_MEM_SIZE, endpoints[life])
    if status != 0:
        raise RuntimeError(f"attr_init 返回 {status}")
    ops = [getattr(torch.classes.ShmemOps, CLASS)() for _ in range(job.get("objects", 1))]
    first, last = (job["calls"] * at // len(endpoints) for at in (life, life + 1))
    wrong = sum(run_calls(ops, pe, job, order, recorder) for order in orders(job, range(first, last)))
    for op in ops:
        op.close()
    manager.finalize()
    return wrong


def worker(pe, job):
    """一个 PE 的全部工作; 返回退出码。"""
    for name, value in job.get("environment", {}).items():
        os.environ[name] = value
    import torch
    import torch_npu  # noqa: F401

    torch.set_num_threads(1)
    torch.npu.set_device(pe % torch.npu.device_count())
    load_libraries()
    recorder = Recorder(job, pe)
    wrong = sum(live(pe, job, life, recorder) for life in range(job.get("lives", 1)))
    recorder.add(finished=True, version=torch_npu.__version__, path=os.path.dirname(torch_npu.__file__))
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


# ---- 父进程 ----


AGENT = "SHMEM_BIND_AGENT"  # torchrun 的进程号, 即各 PE 的父进程


def fresh_endpoint():
    """由系统给出一个空闲端口。"""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


def start_workers(job):
    pids = []
    parent = os.getpid()
    for pe in range(job["pes"]):
        if job["launcher"] == "spawn":
            text = json.dumps({"pe": pe, "job": job, "parent": parent})
            pids.append(subprocess.Popen([sys.executable, str(pathlib.Path(__file__).resolve()), "--worker", text]).pid)
        else:
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                worker_process(pe, job, parent)
            pids.append(pid)
    return pids


def wait_workers(pids, deadline):
    """读取每个退出码; 一个失败或超时, 其余的在 2 秒内结束。返回 {pe: 退出码}。"""
    codes = {}
    stop_at = None
    while len(codes) < len(pids):
        for pe, pid in enumerate(pids):
            if pe in codes:
                continue
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                codes[pe] = os.waitstatus_to_exitcode(status)
                if codes[pe] != 0 and stop_at is None:
                    stop_at = time.monotonic() + 2
        now = time.monotonic()
        if now > deadline and stop_at is None:
            print("超时: 结束所有 PE", file=sys.stderr, flush=True)
            stop_at = now
        if stop_at is not None and now >= stop_at:
            for pe, pid in enumerate(pids):
                if pe not in codes:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    codes[pe] = -signal.SIGKILL
        time.sleep(0.005)
    return codes


def read_records(job):
    records = []
    for pe in range(job["pes"]):
        path = os.path.join(job["folder"], f"pe{pe}.jsonl")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                records += [json.loads(line) for line in file if line.strip()]
    return records


def is_accepted(record, pes):
    """输出齐全, 且父进程对每个输出的判断与 PE 的结论一致。"""
    outputs = record["outputs"]
    complete = set(OUTPUTS) - set(OPTIONAL) <= set(outputs) <= set(OUTPUTS)
    return record["equal"] and complete and all(agrees(outputs[name], OUTPUTS[name] or DTYPES[record["dtype"]], pes) for name in outputs)


def judge(job, codes):
    """核对退出码和记录, 返回问题列表。"""
    problems = [f"PE {pe} 的退出码是 {code}" for pe, code in sorted(codes.items()) if code != 0]
    records = read_records(job)
    seen = {}
    for record in records:
        if record["nonce"] != job["nonce"]:
            problems.append(f"PE {record['pe']} 的记录不属于这次运行")
        elif "call" in record:
            key = (record["pe"], record["dtype"], record["case"], record["call"])
            if key in seen:
                problems.append(f"重复的记录: {key}")
            seen[key] = record
    for dtype_name in job["dtypes"]:
        for case in job["cases"]:
            for call in range(job["calls"]):
                row = [seen.get((pe, dtype_name, case, call)) for pe in range(job["pes"])]
                name = f"{dtype_name} {case} 第 {call} 次"
                missing = [pe for pe, record in enumerate(row) if record is None]
                if missing:
                    problems.append(f"{name}: PE {missing} 没有结果")
                    continue
                for pe, record in enumerate(row):
                    if not is_accepted(record, job["pes"]):
                        problems.append(f"{name}: PE {pe} 结果不符 ({record['layout']}): {record['detail'] or '记录自相矛盾'}")
                if len(INPUTS) > len(SHARED) and len({record["input"] for record in row}) != job["pes"]:
                    total = sum(len(as_bytes(t)) for t in gen_data(job["pes"], job, dtype_name, case, call)[0].values())
                    if total >= 8:
                        problems.append(f"{name}: 不同 PE 的输入相同, 结果没有意义")
    finished = {record["pe"] for record in records if record.get("finished")}
    for pe in range(job["pes"]):
        if pe not in finished and codes.get(pe) == 0:
            problems.append(f"PE {pe} 没有完成收尾")
    return problems, len(seen), next((r for r in records if r.get("finished")), {})


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
        codes = wait_workers(start_workers(job), begin + job["deadline"])
        problems, count, end = judge(job, codes)
        return {"name": job.get("name", ""), "pes": job["pes"], "launcher": job["launcher"], "passed": not problems,
                "problems": problems[:20], "records": count, "expected": job["pes"] * len(job["dtypes"]) * len(job["cases"]) * job["calls"],
                "exit_codes": [codes[pe] for pe in range(job["pes"])], "seconds": round(time.monotonic() - begin, 3),
                "comparison": comparison(job), "torch_npu": end.get("version", ""), "torch_npu_path": end.get("path", "")}


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
        problems, count, end = judge(job, dict(enumerate(codes)))
        problems = doubts or problems
        result = {"name": "torchrun", "pes": pes, "launcher": "torchrun", "passed": not problems, "problems": problems[:20],
                  "records": count, "expected": pes * len(job["dtypes"]) * len(job["cases"]) * job["calls"], "exit_codes": codes,
                  "seconds": round(time.monotonic() - begin, 3), "comparison": comparison(job),
                  "torch_npu": end.get("version", ""), "torch_npu_path": end.get("path", "")}
        finish([result], args.report)
        code = 0 if not problems else 1
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
        return subprocess.Popen(torchrun_command(job["pes"], arguments), stdout=log, stderr=subprocess.STDOUT, preexec_fn=become_agent)


def end_torchrun(job, process, path):
    """等待它结束, 返回它的结果字典; 超时则结束它 (各 PE 随之结束)。"""
    try:
        code = process.wait(timeout=job["deadline"])
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    result = {"pes": job["pes"], "launcher": "torchrun", "passed": False, "problems": ["torchrun 没有留下结果"], "records": 0, "expected": 0,
              "seconds": 0}
    with open(path + ".log", encoding="utf-8") as log:
        print(log.read(), end="", flush=True)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            result = json.load(file)["results"][0]
    problems = result["problems"] + ([f"torchrun 的退出码是 {code}"] if code != 0 else [])
    return {**result, "name": job.get("name", ""), "passed": result["passed"] and not problems, "problems": problems}


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
        for job, path in zip(jobs, paths):
            if path in beside:
                results.append(end_torchrun(job, beside[path], path))
            else:
                refused = {"name": job.get("name", ""), "pes": job["pes"], "launcher": job["launcher"], "passed": False,
                           "problems": problems, "records": 0, "expected": 0, "seconds": 0}
                results.append(refused if problems else run_job(job))
            mark = "通过" if results[-1]["passed"] else "失败"
            print(f"进度 {len(results)}/{len(jobs)} {job.get('name', '')} {mark} {results[-1]['seconds']} s", flush=True)
    return results


def finish(results, report):
    for result in results:
        mark = "通过" if result["passed"] else "失败"
        print(f"[{result['name'] or OP}] {result['pes']} PE, {result['launcher']}, {result['records']}/{result['expected']} 条结果: {mark}"
              f" ({result.get('comparison', '没有比较')})")
        for problem in result["problems"]:
            print(f"    {problem}")
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
    code = main()
    sys.stdout.flush()
    os._exit(code)
