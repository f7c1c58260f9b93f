#include "tool/prove/driver.h"

namespace shmem_bind::prove {

// Imports once, forks for every job: as the test does for a plan. Refusals and the side stream are
// this program's own: the test never calls wrongly, and never on another stream.
const char* driver_program() {
  return R"PY(
import contextlib, gc, importlib.util, json, os, signal, sys, tempfile, time, uuid

plan = json.load(open(sys.argv[1], encoding="utf-8"))
sys.argv = [plan["test"]]
sys.path.insert(0, os.path.dirname(plan["test"]))
spec = importlib.util.spec_from_file_location("torch_test", plan["test"])
m = importlib.util.module_from_spec(spec)
spec.loader.exec_module(m)
import torch
import torch_npu  # noqa: F401

torch.set_num_threads(1)
gc.freeze()
plain_calls, plain_find = m.run_calls, m.find_library


class Watched:
    """Hands calls on, and sees which memory they were given: the script's word for it is not asked."""

    def __init__(self, op, corrupts=False):
        self.op, self.corrupts, self.calls, self.views = op, corrupts, 0, 0

    def compute(self, *arguments, **attributes):
        tensors = [a for a in arguments if isinstance(a, torch.Tensor)]
        self.calls += 1
        self.views += any(not t.is_contiguous() or t.storage_offset() for t in tensors)
        self.op.compute(*arguments, **attributes)
        for index, name in enumerate(m.OUTPUTS):
            if self.corrupts and arguments[index] is not None:
                arguments[index].zero_()


def watched(ops, pe, job, *rest):
    seen = Watched(ops[0], job["probe"] == "corrupt")
    wrong = plain_calls([seen], pe, job, *rest)
    if seen.calls >= 3 and not seen.views:
        print(f"[PE {pe}] not refused: a test that passes no views", flush=True)
        os._exit(3)
    return wrong


def guarded(ops, *arguments):
    """A new object in symmetric memory that is not zero, with memory behind it that nobody may touch."""
    ops[0].close()
    manager = torch.classes.ShmemOps.Manager()
    used = manager.malloc_tensor(m.LOCAL_MEM_SIZE // 4)
    used.fill_(0x5A)
    torch.npu.synchronize()
    manager.free_tensor(used)
    mine = getattr(torch.classes.ShmemOps, m.CLASS)()
    behind = manager.malloc_tensor(m.LOCAL_MEM_SIZE // 8)
    behind.fill_(0x5A)
    torch.npu.synchronize()
    wrong = plain_calls([mine], *arguments)
    touched = int((behind.cpu() != 0x5A).sum())
    if touched:
        print(f"[PE {arguments[0]}] not refused: {touched} bytes behind the state were written", flush=True)
        os._exit(3)
    manager.free_tensor(behind)
    mine.close()
    return wrong


def on_a_stream(*arguments):
    side = torch.npu.Stream()
    with torch.npu.stream(side):
        return plain_calls(*arguments)


def wrong_calls(given, tensor_of):
    """Names and arguments of calls that must raise: one mistake each."""
    names = list(given)
    dispatched = [n for n in names if (m.OUTPUTS.get(n) or m.INPUTS.get(n)) is None]
    # Not float64: torch_npu makes float32 of it.
    strange = [getattr(torch, n) for n in ("int16", "uint8", "bool") if n not in m.DTYPES.values()][0]
    other = {n: given[n].to(strange) for n in dispatched}
    if other:
        yield "a dtype that is not supported", other
    for name in names:
        value = given[name]
        yield f"{name} on the CPU", {name: value.cpu()}
        yield f"{name} with another dtype", {name: value.to(strange)}
        yield f"{name} with one dimension more", {name: value.unsqueeze(-1)}
        if value.dim() > 0:
            yield f"{name} longer", {name: torch.cat([value, value[:1]])}
            yield f"{name} longer at the end", {name: torch.cat([value, value[..., :1]], -1)}
    for name in m.OUTPUTS:
        value = given[name]
        if value.numel() < 2:
            continue
        yield f"{name} overlaps itself", {name: value.reshape(-1)[:1].expand(value.shape)}
        for read in names:
            if read == name or given[read].dtype != value.dtype or given[read].numel() < 2:
                continue
            both = torch.zeros(value.numel() + given[read].numel(), dtype=value.dtype, device="npu")
            yield f"{name} overlaps {read}", {name: both[:value.numel()].view(value.shape),
                                              read: both[value.numel() - 1:-1].view(given[read].shape)}


def refusals(ops, pe, job, order, recorder):
    op, (dtype_name, case, _) = ops[0], order[0]
    n_pes = job["pes"]
    symbols = job["cases"][case]
    attrs = m.attributes_in(0, n_pes, symbols)
    mine = m.gen_data(n_pes, job, dtype_name, case, 0)[pe]
    given = {}
    for name, shape in m.output_shapes(n_pes, symbols).items():
        dtype = getattr(torch, m.OUTPUTS[name] or m.DTYPES[dtype_name])
        given[name] = mine[name].npu() if name in mine else torch.zeros(list(shape), dtype=dtype, device="npu")
    given.update({name: value.npu() for name, value in mine.items() if name not in given})

    def expect(what, arguments, attributes):
        try:
            op.compute(*[arguments[name] for name in given], **attributes)
        except RuntimeError as error:
            if m.CLASS in str(error):  # else something further down complained, too late
                return
        print(f"[PE {pe}] not refused: {what}", flush=True)
        os._exit(3)

    for what, wrong in wrong_calls(given, mine):
        expect(what, {**given, **wrong}, attrs)
    for name in m.ROTATING:
        expect(f"{name} beyond the PEs", given, {**attrs, name: n_pes})
        expect(f"{name} negative", given, {**attrs, name: -1})
    op.close()
    expect("a closed object", given, attrs)
    return 0


def run_refusals(job):
    with tempfile.TemporaryDirectory(prefix="shmem-bind-") as folder:
        job = {**job, "folder": folder, "nonce": uuid.uuid4().hex, "straggler": -1, "next_ip_ports": [], "ip_port": m.fresh_endpoint()}
        job["cases"] = {name: m.CASES[name] for name in job["cases"]}
        sys.stdout.flush()
        pids = []
        for pe in range(job["pes"]):
            pid = os.fork()
            if pid == 0:
                code = 1
                try:
                    signal.alarm(int(job["deadline"]))
                    code = m.worker(pe, job)
                except BaseException as error:
                    print(f"[PE {pe}] {type(error).__name__}: {error}", flush=True)
                finally:
                    sys.stdout.flush()
                    os._exit(code)
            pids.append(pid)
        codes = {}
        for pe, pid in enumerate(pids):
            codes[pe] = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        problems = [f"PE {pe}: exit code {code}" for pe, code in codes.items() if code]
        return {"passed": not problems, "problems": problems, "records": 0}


@contextlib.contextmanager
def output_to(path):
    sys.stdout.flush()
    saved = os.dup(1), os.dup(2)
    with open(path, "w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os.dup2(saved[0], 1)
            os.dup2(saved[1], 2)
            os.close(saved[0])
            os.close(saved[1])


with open(plan["results"], "w", encoding="utf-8") as results:
    for job in plan["jobs"]:
        libraries = job["libraries"]
        m.find_library = lambda name: libraries.get(name) or plain_find(name)
        m.run_calls = {"refusals": refusals, "stream": on_a_stream, "guard": guarded}.get(job["probe"], watched)
        begin = time.monotonic()
        log = os.path.join(os.path.dirname(plan["results"]), f"{job['key']}.log")
        with output_to(log):
            result = run_refusals(job) if job["probe"] == "refusals" else m.run_job(job)
        said = [line.strip() for line in open(log, encoding="utf-8", errors="replace") if "not refused:" in line]
        findings = job["environment"]["SHMEM_SIM_FINDINGS"]
        found = open(findings, encoding="utf-8").read().splitlines() if os.path.exists(findings) else []
        expected = 0 if job["probe"] == "refusals" else job["pes"] * len(job["dtypes"]) * len(job["cases"]) * job["calls"]
        problems = said[:1] + list(result["problems"])
        if any(result.get("exit_codes", [])) and not problems:
            problems.append(f"exit codes {result['exit_codes']}")
        if result["records"] != expected:
            problems.append(f"{result['records']} results instead of {expected}")
        line = {"key": job["key"], "passed": bool(result["passed"]) and not problems and not found,
                "problem": (problems + [f"finding: {json.loads(f).get('detail', f)}" for f in found] + [""])[0],
                "seconds": round(time.monotonic() - begin, 3)}
        results.write(json.dumps(line) + "\n")
        results.flush()
        print(f"job {job['key']} {'passed' if line['passed'] else 'failed'} {line['seconds']}", flush=True)
sys.stdout.flush()
os._exit(0)
)PY";
}

}  // namespace shmem_bind::prove
