# Written by shmem-bind 0.1.0: shared by the operators of this tree
# text 33261113ac6b2484
"""各算子的多 PE 测试中, 一个 PE 的部分: 数据、连续调用、错误的调用、比较和记录。

test 是算子的测试脚本 torch_test_<算子>.py (模块), 契约的内容都从它取: DTYPES, CASES, INPUTS, OUTPUTS, golden …
job 是任务 (字典), 由 multi_pe_launch.py 给出。
"""

import faulthandler
import hashlib
import json
import math
import os
import random
import signal
import time
import types
import zlib

LAYOUTS = ["contiguous", "offset_view", "strided", "permuted"]  # 各次调用轮流使用的内存布局
POISON = 0xA5
GUARD = 0x5A  # 作为信号时是很大的正数


# ---- 形状表达式中的运算 ----


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


def base_data(test, pe, n_pes, job, dtype_name, case):
    """PE pe 的基础数据, 每个 (类型, 用例) 只生成一次。种子固定: 42 + pe; 共享的输入用公共种子。"""
    import torch

    key = (test, pe, n_pes, job["seed"], dtype_name, case)
    if key not in _BASE:
        tensors = {}
        for name, shape in test.input_shapes(n_pes, job["cases"][case]).items():
            own = 0 if name in test.SHARED else pe
            text = f"{42 + own}/{job['seed']}/{dtype_name}/{case}/{name}"
            generator = torch.Generator().manual_seed(int(hashlib.sha256(text.encode()).hexdigest()[:15], 16))
            kind = test.INPUTS[name] or test.DTYPES[dtype_name]
            tensors[name] = random_tensor(shape, getattr(torch, kind), generator)
        if len(_BASE) > 64:
            _BASE.clear()
        _BASE[key] = tensors
    return _BASE[key]


def attributes_of(test, symbols):
    return {name: symbols.get(name, default) for name, default in test.ATTRIBUTES.items()}


def attributes_in(test, call, n_pes, symbols):
    """第 call 次调用的属性。前三次的根相同 (同一槽位被重用), 之后每次都换。"""
    step = max(call - 2, 0)
    attributes = attributes_of(test, symbols).items()
    return {name: (value + step) % n_pes if name in test.ROTATING else value for name, value in attributes}


def changed(value, call):
    """基础数据在第 call 次调用时的值。fp8 只搬运, 不做算术: 按字节改变。"""
    import torch

    if value.dtype == torch.bool:
        return value ^ bool(call % 2)
    return (value.view(torch.uint8) + call).view(value.dtype) if is_fp8(value.dtype) else value + call


def gen_data(test, n_pes, job, dtype_name, case, call):
    """第 call 次调用时各 PE 的输入: 每次调用的数据都不同。"""
    inputs = []
    for pe in range(n_pes):
        base = base_data(test, pe, n_pes, job, dtype_name, case)
        inputs.append({name: changed(value, call) for name, value in base.items()})
    seed = f"{job['seed']}/{dtype_name}/{case}/{call}"
    test.arrange(n_pes, inputs, attributes_in(test, call, n_pes, job["cases"][case]), random.Random(seed))
    for mine in inputs:
        mine.update({name: inputs[0][name] for name in test.SHARED})
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


# ---- 比较 ----


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


def limits(test, kind, pes):
    """类型 kind 的界限 (rtol, 偏差的上限), 逐位比较时是 None。一个结果至少是 pes 个数之和。"""
    if kind not in test.TOLERANCES:
        return None
    few, many, bias = test.TOLERANCES[kind]
    return (few if pes < 2048 else many), bias


def errors(got, want):
    """最大的 |a-g| / max(|g|, 1) 及其位置, 最大的 |a-g|, 偏差。golden 没有的 NaN 或 Inf 算作无穷大的误差。"""
    import torch

    a, g = got.reshape(-1).double(), want.reshape(-1).double()
    if g.numel() == 0:
        return 0.0, 0, 0.0, 0.0
    finite = g.isfinite()
    off = torch.where(finite, a - g, torch.where((a == g) | (a.isnan() & g.isnan()), 0.0, math.inf))
    scale = torch.where(finite, g.abs(), 1.0).clamp(min=1.0)
    size = off.abs().nan_to_num(nan=math.inf, posinf=math.inf)
    at = int((size / scale).argmax())
    # 少于 64 个元素时, 平均值说明不了偏差
    bias = (off.mean().abs() / scale.max()).item() if len(g) >= 64 else 0.0
    return (size / scale)[at].item(), at, size.max().item(), bias


def compare(test, got, want, given, kind, pes):
    """一个输出的比较结果。golden 只给出前 given 个元素, 其余的是投毒值, 总是逐位比较。"""
    result = {"kind": "bitwise", "golden": digest({"": want}), "output": digest({"": got})}
    limit = limits(test, kind, pes)
    if limit is None or got.shape != want.shape or got.dtype != want.dtype:
        equal = same_bytes(got, want)
        return {**result, "equal": equal, "detail": "" if equal else first_difference(got, want)}
    a, g = got.reshape(-1), want.reshape(-1)
    error, at, largest, bias = errors(a[:given], g[:given])
    equal = error <= limit[0] and bias <= limit[1] and same_bytes(a[given:], g[given:])
    detail = f"误差 {error:.3g} (上限 {limit[0]:.3g}), 偏差 {bias:.3g} (上限 {limit[1]:.3g})"
    if error > limit[0]:
        detail += f", 第 {at} 个元素: 得到 {a[at].item()}, 应为 {g[at].item()}"
    elif not equal and bias <= limit[1]:
        detail = "不该写的元素被改写: " + first_difference(a[given:], g[given:])
    return {**result, "kind": "tolerance", "rtol": limit[0], "atol": limit[0], "bias_limit": limit[1], "error": error, "bias": bias,
            "largest": largest, "equal": equal, "detail": "" if equal else detail}


def agrees(test, result, kind, pes):
    """父进程对一个输出的判断, 不只看 PE 的结论: 按容差比较的误差在本脚本的界限之内, 逐位比较的摘要相同。"""
    limit = limits(test, kind, pes)
    if limit is None:
        return result["kind"] == "bitwise" and result["golden"] == result["output"]
    return (result["kind"] == "tolerance" and result["rtol"] == result["atol"] == limit[0] and result["bias_limit"] == limit[1]
            and 0 <= result["error"] <= limit[0] and 0 <= result["bias"] <= limit[1])


def comparison(test, job):
    """比较方式, 供打印。"""
    kinds = dict.fromkeys(test.OUTPUTS[name] or test.DTYPES[dtype_name] for dtype_name in job["dtypes"] for name in test.OUTPUTS)
    found = {kind: limits(test, kind, job["pes"]) for kind in kinds}
    if not any(found.values()):
        return "逐位相等"
    return "; ".join(f"{kind} 容差 rtol = atol = {limit[0]:.3g}, 偏差不超过 {limit[1]:.3g}" if limit else f"{kind} 逐位相等"
                     for kind, limit in found.items())


# ---- 一个 PE ----


class Recorder:
    """把每次调用的结果立即写入文件, 每行一条 JSON。"""

    def __init__(self, job, pe):
        self.nonce = job["nonce"]
        self.pe = pe
        self.file = open(os.path.join(job["folder"], f"pe{pe}.jsonl"), "a", encoding="utf-8")

    def add(self, **fields):
        self.file.write(json.dumps({"nonce": self.nonce, "pe": self.pe, **fields}) + "\n")
        self.file.flush()


def read_records(job, pes=None):
    """各 PE (或其中的 pes) 写下的记录; 被杀死的 PE 最后一行可能不完整, 略过。每条记录带上它所在文件的 PE 号。"""
    records = []
    for pe in range(job["pes"]) if pes is None else pes:
        path = os.path.join(job["folder"], f"pe{pe}.jsonl")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                records += [{**json.loads(line), "file": pe} for line in file if line.endswith("}\n")]
    return records


def layouts_of(pe, call):
    """输入和输出的布局: 各次调用不同, 同一次调用中各 PE 也不同。"""
    return LAYOUTS[(call + pe) % len(LAYOUTS)], LAYOUTS[(3 * call + pe + 1) % len(LAYOUTS)]


def prepare(test, pe, job, dtype_name, case, call):
    """一次调用所需的一切: 新的输入、已投毒的输出、应有的结果。"""
    import torch

    n_pes = job["pes"]
    in_layout, out_layout = layouts_of(pe, call)
    attrs = attributes_in(test, call, n_pes, job["cases"][case])
    everyone = gen_data(test, n_pes, job, dtype_name, case, call)
    want = test.golden(pe, n_pes, everyone, attrs)
    given = {name: value.numel() for name, value in want.items()}
    ins, outs = {}, {}
    for name, value in everyone[pe].items():
        ins[name] = DeviceTensor(list(value.shape), value.dtype, in_layout)
        ins[name].source = value.npu()
    outs.update({name: ins[name] for name in test.OUTPUTS if name in ins})  # 既读又写的张量
    if unknown := [name for name in outs if name not in want]:
        raise KeyError(f"golden 没有给出 {unknown}")
    for name, shape in test.output_shapes(n_pes, job["cases"][case]).items():
        if name in want:  # 否则这个 PE 没有它, 传 None
            kind = test.OUTPUTS[name] or test.DTYPES[dtype_name]
            outs[name] = DeviceTensor(list(shape), getattr(torch, kind), out_layout)
            want[name] = with_untouched_rows(want[name], shape)
    return types.SimpleNamespace(dtype=dtype_name, case=case, call=call, layout=f"{in_layout} -> {out_layout}", attrs=attrs,
                                 mine=everyone[pe], want=want, given=given, ins=ins, outs=outs, after={})


def submit(test, op, step):
    """一次调用和紧邻的 torch 算子: 前一个产生输入, 后一个使用输出, 都不同步。"""
    for tensor in step.ins.values():
        tensor.view.copy_(tensor.source)
    tensors = {name: tensor.view for name, tensor in {**step.ins, **step.outs}.items()}
    test.compute(op, {**dict.fromkeys(test.OUTPUTS), **tensors}, step.attrs)
    step.after = {name: tensor.view.clone() for name, tensor in step.outs.items()}


def submit_on_streams(test, ops, steps):
    """每次调用换一个流 (两个旁流和默认流), 各流之间只用事件排序。"""
    import torch

    streams = [torch.npu.Stream(), torch.npu.current_stream(), torch.npu.Stream()]
    done = streams[1].record_event()
    for index, step in enumerate(steps):
        stream = streams[index % len(streams)]
        with torch.npu.stream(stream):
            stream.wait_event(done)
            submit(test, ops[index % len(ops)], step)
            done = stream.record_event()


# ---- 错误的调用 ----


def shared_memory(output, other):
    """两个张量, 形状和类型如 output 和 other, 后者的开头就是前者的结尾。"""
    import torch

    sizes = [value.numel() * value.element_size() for value in (output, other)]
    at = (sizes[0] - 1) // 8 * 8
    raw = torch.zeros(max(sizes[0], at + sizes[1]), dtype=torch.uint8, device="npu")
    return raw[:sizes[0]].view(output.dtype).view(output.shape), raw[at:at + sizes[1]].view(other.dtype).view(other.shape)


def is_free(test, n_pes, symbols, given, name, axis):
    """张量 name 的这一维可以独自改变: 在这个 PE 有的张量 given 中, 没有别的与它有关。"""
    def shapes(values):
        return {**test.input_shapes(n_pes, values), **test.output_shapes(n_pes, values)}

    now = shapes(symbols)
    for symbol in {*symbols, "?"} - set(test.ATTRIBUTES):
        other = shapes({**symbols, symbol: symbols.get(symbol, 3) + 1})
        moved = {(tensor, at) for tensor in given for at, size in enumerate(other[tensor]) if size != now[tensor][at]}
        if (name, axis) in moved and (symbol == "?" or len(moved) == 1):
            return True
    return False


def wrong_tensors(test, n_pes, symbols, given):
    """每次只错一处的张量: (说明, 换掉的张量)。given 是一次正确调用的张量, symbols 是它的形状符号。"""
    import torch

    host = {name: value.cpu() for name, value in given.items()}
    # 不用 float64: torch_npu 会把它变成 float32
    strange = next(kind for name in ("int16", "uint8", "bool") if name not in test.DTYPES.values() for kind in [getattr(torch, name)])
    dispatched = [name for name in given if {**test.INPUTS, **test.OUTPUTS}[name] is None]
    if dispatched:
        yield "不支持的类型", {name: host[name].to(strange).npu() for name in dispatched}
    for name, value in host.items():
        yield f"{name} 在 CPU 上", {name: value}
        yield f"{name} 的类型不同", {name: value.to(strange).npu()}
        yield f"{name} 多一维", {name: value.unsqueeze(-1).npu()}
        for axis in {0, value.dim() - 1} if value.numel() > 0 else ():
            if value.dim() > 0 and not is_free(test, n_pes, symbols, given, name, axis):
                yield f"{name} 的第 {axis} 维多一个", {name: torch.cat([value, value.narrow(axis, 0, 1)], axis).npu()}
    for name in test.OUTPUTS:
        if name not in given or given[name].numel() < 2:
            continue
        yield f"{name} 与自身重叠", {name: given[name].reshape(-1)[:1].expand(given[name].shape)}
        for other in given:
            if other != name and given[other].numel() > 1:
                first, second = shared_memory(given[name], given[other])
                yield f"{name} 与 {other} 重叠", {name: first, other: second}


def breaking_call(test, n_pes, values, dtype_name):
    """一次只违反契约一条要求的调用: 全部张量和属性。values 是它的形状符号和属性。"""
    import torch

    tensors = {}
    for kinds, shapes in ((test.INPUTS, test.input_shapes), (test.OUTPUTS, test.output_shapes)):
        for name, shape in shapes(n_pes, values).items():
            dtype = getattr(torch, kinds[name] or test.DTYPES[dtype_name])
            tensors[name] = torch.zeros([max(size, 0) for size in shape], dtype=dtype).npu()
    return tensors, attributes_of(test, values)


def must_refuse(test, op, what, tensors, attrs):
    """这次调用必须由算子自己报错 (错误信息以类名开头), 而不是到设备上才出错。"""
    try:
        test.compute(op, {**dict.fromkeys(test.OUTPUTS), **tensors}, attrs)
    except RuntimeError as error:
        if f"{test.CLASS}: " in str(error):
            return
        raise RuntimeError(f"错误的调用没有被算子发现: {what}: {error}") from error
    raise RuntimeError(f"错误的调用没有被拒绝: {what}")


def make_wrong_calls(test, op, step, job):
    """契约的每项检查都违反一次; 之后对象必须照常工作。"""
    given = {name: value.view for name, value in {**step.ins, **step.outs}.items()}
    for what, wrong in wrong_tensors(test, job["pes"], job["cases"][step.case], given):
        must_refuse(test, op, what, {**given, **wrong}, step.attrs)
    for name in test.OPTIONAL:
        if name in given and name not in test.INPUTS:
            must_refuse(test, op, f"没有 {name}", {**given, name: None}, step.attrs)
    for name in test.ROTATING:
        for value in (job["pes"], -1):
            must_refuse(test, op, f"{name} = {value}", given, {**step.attrs, name: value})
    for text, values in job.get("refused", {}).items():
        must_refuse(test, op, f"违反 {text}", *breaking_call(test, job["pes"], values, step.dtype))


def file_result(test, step, pe, n_pes, recorder):
    """比较一次调用的结果并写入记录; 返回是否正确。"""
    kinds = {name: test.OUTPUTS[name] or test.DTYPES[step.dtype] for name in step.after}
    compared = {name: compare(test, value.cpu(), step.want[name], step.given[name], kinds[name], n_pes)
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


def run_calls(test, ops, pe, job, order, recorder):
    """连续调用 order 中的各次 (类型, 用例, 次序): 每次新数据、新布局, 中间没有任何同步或屏障; 有几个对象就轮流用。"""
    import torch

    steps = [prepare(test, pe, job, *item) for item in order]
    torch.npu.synchronize()
    if job.get("wrong_calls") and steps[0].call == 0:
        make_wrong_calls(test, ops[0], steps[0], job)
    if job["straggler"] == pe:
        time.sleep(0.03)
    if job.get("side_streams"):
        submit_on_streams(test, ops, steps)
    else:
        for index, step in enumerate(steps):
            submit(test, ops[index % len(ops)], step)
    torch.npu.synchronize()
    return sum(not file_result(test, step, pe, job["pes"], recorder) for step in steps)


def orders(job, calls):
    """各次调用的次序。通常一个用例接一个用例; mixed 时各种形状和类型在同一个对象上交替。"""
    if job.get("mixed"):
        return [[(dtype, case, call) for call in calls for case in job["cases"] for dtype in job["dtypes"]]]
    return [[(dtype, case, call) for call in calls] for dtype in job["dtypes"] for case in job["cases"]]


class Run:
    """一个 PE 的测试, 交给算子脚本的 worker。

    pe, pes 自己的 PE 号和 PE 个数; endpoints SHMEM 的每次初始化各用一个端点; objects 轮流使用的对象个数。
    """

    def __init__(self, test, pe, job):
        self.test, self.pe, self.job = test, pe, job
        self.pes = job["pes"]
        self.endpoints = [job["ip_port"], *job.get("next_ip_ports", [])]
        self.objects = job.get("objects", 1)
        self.recorder = Recorder(job, pe)
        self.shares = 0  # 已完成的份数

    def enter(self, step):
        """记下走到哪一步。"""
        self.recorder.add(step=step)

    def use_memory(self, manager):
        """分配、写满、释放一块对称内存: 算子的状态多半落在其中, 不清零就会显露。"""
        manager.free_tensor(self.guard(manager))

    def guard(self, manager):
        """紧跟在各对象状态之后的一块对称内存, 谁也不该写。"""
        import torch

        memory = manager.malloc_tensor(min(4 << 20, self.test.LOCAL_MEM_SIZE // 16))
        memory.fill_(GUARD)
        torch.npu.synchronize()
        return memory

    def check_guard(self, manager, memory):
        touched = int((memory.cpu() != GUARD).sum())
        if touched:
            raise RuntimeError(f"状态之后的对称内存有 {touched} 字节被改写: 状态比 kernel 使用的小")
        manager.free_tensor(memory)

    def calls(self, ops):
        """在对象 ops 上进行这次初始化分担的调用; 返回结果不符的次数。"""
        first, last = (self.job["calls"] * at // len(self.endpoints) for at in (self.shares, self.shares + 1))
        self.shares += 1
        return sum(run_calls(self.test, ops, self.pe, self.job, order, self.recorder) for order in orders(self.job, range(first, last)))

    def closed(self, ops):
        """ops 都已 close: 再次 close 无害, 再次调用必须报错。"""
        if not self.job.get("wrong_calls"):
            return
        dtype_name, case = self.job["dtypes"][0], next(iter(self.job["cases"]))
        step = prepare(self.test, self.pe, self.job, dtype_name, case, 0)
        for op in ops:
            op.close()
            must_refuse(self.test, op, "对象已 close", {name: value.view for name, value in {**step.ins, **step.outs}.items()}, step.attrs)


def run_pe(test, pe, job):
    """在本进程中做一个 PE 的全部工作; 返回退出码。"""
    for name, value in job.get("environment", {}).items():
        os.environ[name] = value
    run = Run(test, pe, job)
    stack = open(os.path.join(job["folder"], f"pe{pe}.stack"), "w", encoding="utf-8")
    faulthandler.register(signal.SIGUSR1, file=stack, all_threads=True, chain=False)  # 父进程在期限到时询问
    run.enter("device")
    import torch
    import torch_npu  # noqa: F401

    torch.set_num_threads(1)
    wrong = test.worker(run)
    run.recorder.add(finished=True, step="done", version=torch_npu.__version__, path=os.path.dirname(torch_npu.__file__))
    print(f"[PE {pe}] {'通过' if wrong == 0 else '失败'}", flush=True)
    return 1 if wrong else 0
