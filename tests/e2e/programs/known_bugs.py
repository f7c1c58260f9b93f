"""Faults that bindings of other projects had, tried on the AllGather binding with two PEs; docs/known_bugs.md tells them.

    python3 known_bugs.py LIBRARY PORT

Both PEs run every check, in one order. Prints a JSON object: check -> "right", or what went wrong on which PE.
"""

import copy
import io
import json
import multiprocessing
import pickle
import sys
import time

import torch
import torch_npu  # noqa: F401

LIBRARY, PORT = sys.argv[1], int(sys.argv[2])
PES = 2
ROWS, COLS = 6, 10


class Job:
    """What a check works with."""

    def __init__(self, pe, manager):
        self.pe, self.manager = pe, manager
        self.op = torch.classes.ShmemOps.AllGather()

    def data(self, pe, rows=ROWS, cols=COLS, dtype=torch.int32, salt=0):
        values = torch.arange(rows * cols).reshape(rows, cols) * 3 + pe * 1000 + salt
        return (values % 100).to(dtype) if dtype == torch.int8 else values.to(dtype)

    def golden(self, make=lambda x: x, **shape):
        return torch.stack([make(self.data(p, **shape)) for p in range(PES)])

    def output(self, want):
        return torch.full_like(want, -7).npu()

    def gathered(self, source, want):
        """The operator's result for `source` is `want`, bit by bit."""
        out = self.output(want)
        self.op.compute(out, source)
        expect(torch.equal(out.cpu(), want), "the result is wrong")


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def refused(action, *words):
    try:
        action()
    except (RuntimeError, TypeError, ValueError) as error:
        text = str(error)
        expect(all(word in text for word in words), f"refused without saying {words}: {text.splitlines()[0]}")
        return
    raise AssertionError(f"accepted; expected a refusal with {words}")


def bl_03_contiguous_copy_is_not_what_the_kernel_gets(job):
    for make in (lambda x: x.t(), lambda x: x[:, ::2], lambda x: x.split(4, dim=-1)[1]):
        job.gathered(make(job.data(job.pe).npu()), job.golden(lambda x, make=make: make(x).contiguous()))


def bl_04_strides_permuted_on_one_pe(job):
    source = job.data(job.pe).npu()
    job.gathered(source.t().contiguous().t() if job.pe == 1 else source, job.golden())


def bl_05_temporary_recycled_while_the_kernel_reads_it(job):
    side = torch.npu.Stream()
    held = []
    for call in range(60):
        source = job.data(job.pe, salt=call).npu()
        torch.npu.synchronize()
        with torch.npu.stream(side):
            out = job.output(job.golden(lambda x: x.t().contiguous()))
            job.op.compute(out, source.t())
        held.append(out)
        torch.full((COLS, ROWS), -99, dtype=torch.int32).npu()  # takes what was freed too early
    torch.npu.synchronize()
    for call, out in enumerate(held):
        want = torch.stack([job.data(p, salt=call).t() for p in range(PES)])
        expect(torch.equal(out.cpu(), want), f"call {call} is wrong")


def bl_08_another_stream_than_the_current_one(job):
    side = torch.npu.Stream()
    with torch.npu.stream(side):
        made_here = torch.classes.ShmemOps.AllGather()
        source = torch.zeros(ROWS, COLS, dtype=torch.int32).npu()
        out = torch.full((PES, ROWS, COLS), -7, dtype=torch.int32).npu()
        for call in range(10):
            source.fill_(job.pe + 10 * call)
            job.op.compute(out, source)
            seen = out.clone()
            expect([int(seen[p, 0, 0]) for p in range(PES)] == [p + 10 * call for p in range(PES)], f"call {call} is stale")
    out = job.output(job.golden())
    made_here.compute(out, job.data(job.pe).npu())  # on the default stream
    expect(torch.equal(out.cpu(), job.golden()), "made under one stream, called under another")
    made_here.close()


def bl_11_only_the_number_of_elements_is_checked(job):
    source = job.data(job.pe).npu()
    for shape in ((ROWS, PES, COLS), (PES * ROWS * COLS,), (PES, COLS, ROWS), (PES * ROWS, COLS)):
        target = torch.empty(shape, dtype=torch.int32).npu()
        refused(lambda target=target: job.op.compute(target, source), "output", "[n_pes, rows, cols] = [2, 6, 10]")
    refused(lambda: job.op.compute(torch.tensor(3, dtype=torch.int32).npu(), source), "output")


def bl_12_tensors_that_are_not_on_the_device(job):
    source, out = job.data(job.pe), torch.empty(PES, ROWS, COLS, dtype=torch.int32)
    refused(lambda: job.op.compute(out, source), "cpu")
    refused(lambda: job.op.compute(out.npu(), source), "input", "cpu")
    refused(lambda: job.op.compute(out.npu(), source.to("meta")), "input", "meta")
    refused(lambda: job.op.compute(out.npu(), None), "input")


def bl_13_tensor_on_another_device(job):
    mine = torch.npu.current_device()
    other = f"npu:{(mine + 1) % torch.npu.device_count()}"
    refused(lambda: job.op.compute(job.output(job.golden()), job.data(job.pe).to(other)), "input", other)
    torch.npu.set_device(mine)


def bl_17_sizes_that_are_no_multiple_of_32_bytes(job):
    for rows, cols in ((1, 1), (1, 3), (1, 7), (1, 33), (2, 129), (1, 1025)):
        for dtype in (torch.int8, torch.float16):
            want = job.golden(rows=rows, cols=cols, dtype=dtype)
            guarded = torch.full((PES * rows * cols + 128,), 77, dtype=dtype).npu()
            view = guarded[64:-64].view(PES, rows, cols)
            job.op.compute(view, job.data(job.pe, rows, cols, dtype).npu())
            seen = guarded.cpu()
            expect(torch.equal(seen[64:-64].view(PES, rows, cols), want), f"{rows}x{cols} {dtype}: wrong")
            expect(bool((seen[:64] == 77).all() and (seen[-64:] == 77).all()), f"{rows}x{cols} {dtype}: wrote beside its output")


def bl_20_malloc_like_of_a_strided_empty_or_device_tensor(job):
    plain = job.data(job.pe)
    refused(lambda: job.manager.malloc_like(torch.empty(0, 3)), "0 bytes")
    for tensor in (plain.t(), plain, plain.npu(), plain.npu().t()):
        made = job.manager.malloc_like(tensor)
        expect(made.shape == tensor.shape and made.dtype == tensor.dtype, "another shape or dtype")
        expect(torch.equal(made.cpu(), tensor.cpu()), "other values")
        job.manager.free_tensor(made)
    refused(lambda: job.manager.malloc_like(torch.empty(1 << 30, dtype=torch.int8, device="meta")), "local_mem_size")


def bl_27_signals_without_a_generation(job):
    outputs = [job.output(job.golden()) for _ in range(3)]
    inputs = [job.data(job.pe, salt=50 * call).npu() for call in range(3)]
    for call in range(3):
        if job.pe == 1 and call == 1:
            time.sleep(0.1)
        job.op.compute(outputs[call], inputs[call])
    for call in range(3):
        expect(torch.equal(outputs[call].cpu(), job.golden(salt=50 * call)), f"call {call} returned another call's rows")


def bl_30_two_objects_share_their_signals(job):
    a, b = torch.classes.ShmemOps.AllGather(), torch.classes.ShmemOps.AllGather()
    order = [a, b, b, a]
    outputs = [job.output(job.golden()) for _ in order]
    for call, op in enumerate(order):
        op.compute(outputs[call], job.data(job.pe, salt=11 * call).npu())
    for call in range(len(order)):
        expect(torch.equal(outputs[call].cpu(), job.golden(salt=11 * call)), f"call {call} is wrong")
    a.close()
    b.close()


def bl_31_allocations_of_different_sizes(job):
    job.manager.free_tensor(job.manager.malloc_tensor((job.pe + 1) << 20))  # found, see the test
    job.gathered(job.data(job.pe).npu(), job.golden())


def bl_32_allocations_of_nothing(job):
    for size, word in ((0, "at least 1"), (-1, "at least 1"), (-(1 << 62), "at least 1"), ((1 << 63) - 1, "local_mem_size")):
        refused(lambda size=size: job.manager.malloc_tensor(size), word)
    job.gathered(job.data(job.pe).npu(), job.golden())


def bl_33_sizes_at_the_borders_of_the_protocol(job):
    for border in (32 << 10, 128 << 10, 256 << 10):  # small path, one piece, two blocks
        for size in (border - 1, border, border + 1):
            shape = {"rows": 1, "cols": size, "dtype": torch.int8}
            job.gathered(job.data(job.pe, **shape).npu(), job.golden(**shape))


def bl_38_free_of_what_is_no_allocation(job):
    tensor = job.manager.malloc_tensor(1024)
    refused(lambda: job.manager.free_tensor(tensor[16:]), "view")
    refused(lambda: job.manager.free_tensor(torch.ones(4).npu()), "not a symmetric tensor")
    job.manager.free_tensor(tensor)
    refused(lambda: job.manager.free_tensor(tensor), "freed already")
    job.manager.free_tensor(job.manager.malloc_tensor(1024))


def bl_40_copying_the_object(job):
    refused(lambda: copy.deepcopy(job.op), "AllGather")
    refused(lambda: pickle.dumps(job.op), "AllGather")
    job.gathered(job.data(job.pe).npu(), job.golden())


def bl_87_views_of_symmetric_memory(job):
    base = job.manager.malloc_tensor(64)
    address = base.data_ptr()
    half = base.view(torch.float16)
    half.copy_(torch.arange(32, dtype=torch.float16))
    rows = half.view(4, 8).unbind(0)
    expect([int(row[0]) for row in rows] == [0, 8, 16, 24], "unbind: wrong rows")
    expect(rows[1].data_ptr() == address + 16 and rows[1].untyped_storage().data_ptr() == address, "a view lies elsewhere")
    expect(torch.equal(half[3:9:2].cpu(), torch.tensor([3, 5, 7], dtype=torch.float16)), "a slice is wrong")
    expect(torch.equal(half, half.clone()) and str(half.device) in str(half), "equal, clone or print")
    other = (torch.npu.current_device() + 1) % torch.npu.device_count()
    expect(torch.equal(half.to(f"npu:{other}").cpu(), half.cpu()), "the copy on another device is wrong")
    copied = copy.deepcopy(half)
    copied.zero_()
    expect(int(half[31]) == 31, "a deep copy shares the memory")
    job.manager.free_tensor(base)
    del base, half, rows  # the views go last: torch must not free what was freed here
    again = job.manager.malloc_tensor(64)
    expect(again.data_ptr() == address, "the memory was not given back")
    job.manager.free_tensor(again)


def bl_89_compiled_under_autocast(job):
    def run(source):
        out = torch.empty(PES, *source.shape, dtype=source.dtype, device=source.device)
        torch.ops.shmem_ops.all_gather(job.op, out, source)
        return out

    for around in (torch.no_grad, torch.inference_mode):
        with around():
            expect(torch.equal(run(job.data(job.pe).npu()).cpu(), job.golden()), f"{around.__name__}: wrong")
    with torch.autocast("npu", dtype=torch.bfloat16):
        expect(torch.equal(run(job.data(job.pe).npu()).cpu(), job.golden()), "eager: wrong")
        compiled = torch.compile(run, backend="aot_eager", fullgraph=True)
        expect(torch.equal(compiled(job.data(job.pe).npu()).cpu(), job.golden()), "compiled: wrong")


def bl_90_saving_an_exported_program(job):
    class Holder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.op = job.op

        def forward(self, source):
            out = source.new_empty(PES, *source.shape)
            torch.ops.shmem_ops.all_gather(self.op, out, source)
            return out

    source = job.data(job.pe).npu()
    exported = torch.export.export(Holder(), (source,), strict=False)
    expect(torch.equal(exported.module()(source).cpu(), job.golden()), "exported: wrong")
    # An object that could be copied would be copied while torch traces, and making one is collective.
    refused(lambda: torch.export.save(exported, io.BytesIO()), "Cannot serialize custom bound C++ class")


CHECKS = [value for name, value in list(globals().items()) if name.startswith("bl_")]


def worker(pe, results):
    torch.set_num_threads(1)
    torch.npu.set_device(pe)
    torch.ops.load_library(LIBRARY)
    sys.path.insert(0, LIBRARY.rsplit("/build/", 1)[0] + "/python")
    import shmem_custom_ops.all_gather  # noqa: F401  (the fake class, for compile)

    manager = torch.classes.ShmemOps.Manager()
    manager.attr_init(pe, PES, 128 << 20, f"tcp://127.0.0.1:{PORT}")
    job = Job(pe, manager)
    for check in CHECKS:
        try:
            check(job)
            torch.npu.synchronize()
            results.put((check.__name__, pe, "right"))
        except Exception as error:  # noqa: BLE001  (every failure is a result)
            results.put((check.__name__, pe, f"{type(error).__name__}: {str(error)[:600]}"))
    job.op.close()
    manager.finalize()


def main():
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    pes = [context.Process(target=worker, args=(pe, results)) for pe in range(PES)]
    for process in pes:
        process.start()
    found = [results.get() for _ in range(PES * len(CHECKS))]
    for process in pes:
        process.join()
    verdict = {check.__name__: "right" for check in CHECKS}
    for name, pe, what in found:
        if what != "right":
            verdict[name] = f"PE {pe}: {what}"
    print(json.dumps(verdict, indent=1))
    sys.exit(any(process.exitcode for process in pes))


if __name__ == "__main__":
    main()
