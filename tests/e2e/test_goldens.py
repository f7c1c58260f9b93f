"""The goldens of known collectives: against torch.distributed on gloo, against themselves, and how results are compared with them.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind and cann. Nothing is built here: goldens run on the CPU.
"""

import functools
import importlib.util
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback
import types
import unittest
import warnings

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # torch alone, without a device
import torch
import torch.distributed as dist

del os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"]

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SHMEM_BIND_BUILD"])
PES = 4
DTYPES = ["int8", "int32", "fp16", "bf16", "fp32"]
ROOTED, TABLE = "  attrs: [{name: root, type: int, default: 1}]\n", "    - {name: table, dtype: int64, shape: \"%s\"}\n"

# name of the test's tree -> (golden, shape of the input, shape of the output, more of the interface)
PLAIN, STACKED, WHOLE, PART = "[rows, cols]", "[n_pes, rows, cols]", "[n_pes * rows, cols]", "[rows / n_pes, cols]"
OPERATORS = {
    "all_gather": ("all_gather", PLAIN, STACKED, ""),
    "all_gather_flat": ("all_gather", PLAIN, WHOLE, ""),
    "broadcast": ("broadcast", PLAIN, PLAIN, "root"),
    "gather": ("gather", PLAIN, STACKED, "root"),
    "gather_optional": ("gather", PLAIN, STACKED, "root optional"),
    "scatter": ("scatter", STACKED, PLAIN, "root"),
    "scatter_flat": ("scatter", PLAIN, PART, "root"),
    "all_to_all": ("all_to_all", PLAIN, PLAIN, ""),
    "all_to_all_splits": ("all_to_all", PLAIN, WHOLE, "[n_pes, n_pes]"),
    "permute": ("permute", PLAIN, PLAIN, "[n_pes]"),
    "pairwise_shuffle": ("pairwise_shuffle", PLAIN, PLAIN, "[n_pes]"),
    **{name: (name, PLAIN, PLAIN, "") for name in ("all_reduce", "all_reduce_sum", "all_reduce_max", "all_reduce_min")},
    **{name: (name, STACKED, PLAIN, "") for name in ("reduce_scatter", "reduce_scatter_sum")},
    **{name: (name, PLAIN, PART, "") for name in ("reduce_scatter_max", "reduce_scatter_min")},
}
OPERATIONS = {"max": dist.ReduceOp.MAX, "min": dist.ReduceOp.MIN}

DESIGN = """# CopyRows

```yaml
dsl_version: "0.3"
meta: {{op_name: copy_rows, op_kind: collective, build_mode: independent_project, op_root: custom-ops/copy_rows, torch_required: true}}
interface:
  inputs:
    - {{name: input, dtype: dtype, shape: "{input}"}}
{table}  outputs:
    - {{name: output, dtype: dtype, shape: "{output}"{optional}}}
{attrs}correctness:
  oracle: {golden}
status: {{correctness: passed, review: passed}}
torch_binding:
  dtypes: [{dtypes}]
  block_dim: "8"
  n_pes: [2, 4]
  arguments: {{gva: state, elements: "numel(input)", magic: epoch}}
  state: "4096 * n_pes"
{shared}```
"""
HEADER = """#pragma once
#include <cstdint>
template <class T>
void copy_rows_kernel(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output, uint8_t* gva,
                      int64_t elements, int32_t magic{more});
"""


def write_operator(folder, name):
    """The generated test of an operator with this golden."""
    golden, given, made, more = OPERATORS[name]
    op = folder / name / "custom-ops/copy_rows"
    (op / "docs").mkdir(parents=True)
    (op / "src").mkdir()
    has_table = more.startswith("[")
    design = DESIGN.format(input=given, output=made, golden=golden, dtypes=", ".join(DTYPES), attrs=ROOTED if "root" in more else "",
                           optional=", optional: true" if "optional" in more else "", table=TABLE % more if has_table else "",
                           shared="  shared: [table]\n" if has_table else "")
    (op / "docs/design.md").write_text(design, encoding="utf-8")
    parameters = ", int64_t* table" if has_table else ", int32_t root" if "root" in more else ""
    (op / "src/copy_rows_kernel.h").write_text(HEADER.format(more=parameters), encoding="utf-8")
    done = subprocess.run([BUILD / "bin/shmem-bind", "generate", op], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{name}: {done.stdout}{done.stderr}")
    return op / "scripts/torch_test_copy_rows.py"


# Functions of multi_pe_test that are asked about one operator's test.
OF_A_TEST = ("attributes_in", "gen_data", "compare", "limits", "comparison")


def load(path):
    spec = importlib.util.spec_from_file_location("generated_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    common = sys.modules["multi_pe_test"]
    return types.SimpleNamespace(test=module, common=common, launch=sys.modules["multi_pe_launch"],
                                 **{name: functools.partial(getattr(sys.modules["multi_pe_launch"], name), module)
                                    for name in ("judge", "golden_problems")},
                                 **{name: functools.partial(getattr(common, name), module) for name in OF_A_TEST})


def setUpModule():
    global FOLDER, SCRIPTS
    torch.set_num_threads(1)  # and so no thread that a fork would lose
    FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="shmem-bind-goldens-"))
    SCRIPTS = {name: write_operator(FOLDER, name) for name in OPERATORS}


def tearDownModule():
    shutil.rmtree(FOLDER)


def answer_of_gloo(golden, rank, mine, attrs, output):
    """What torch.distributed makes of a PE's inputs, `output` being a tensor of the output's shape; None: nothing."""
    value, root = mine["input"].contiguous(), attrs.get("root")
    parts = [torch.empty_like(value) for _ in range(PES)]
    kind, _, operation = golden.replace("reduce_scatter", "reducescatter").replace("all_reduce", "allreduce").partition("_")
    operation = OPERATIONS.get(operation, dist.ReduceOp.SUM)
    if golden == "all_gather":
        dist.all_gather(parts, value)
    elif golden == "gather":
        dist.gather(value, parts if rank == root else None, dst=root)
    elif golden == "scatter":
        of_root = [part.reshape(output.shape).contiguous() for part in value.chunk(PES)]
        dist.scatter(output, of_root if rank == root else None, src=root)
    elif golden == "broadcast":
        output = value.clone()
        dist.broadcast(output, src=root)
    elif golden == "all_to_all" and "table" in mine:
        sent, received = mine["table"][rank].tolist(), mine["table"][:, rank].tolist()
        output = value.new_empty([sum(received), *value.shape[1:]])
        dist.all_to_all_single(output, value[: sum(sent)].contiguous(), received, sent)
    elif golden == "all_to_all":
        dist.all_to_all_single(output, value)
    elif golden in ("permute", "pairwise_shuffle"):
        sources = mine["table"].tolist()
        sends = [dist.P2POp(dist.isend, value, target) for target in range(PES) if sources[target] == rank]
        for work in dist.batch_isend_irecv([*sends, dist.P2POp(dist.irecv, output, sources[rank])]):
            work.wait()
    else:  # gloo rounds after every addition: 16 bits are added as 32
        assert kind in ("allreduce", "reducescatter"), golden
        wide = value.float() if value.dtype in (torch.float16, torch.bfloat16) else value.clone()
        if kind == "allreduce":
            dist.all_reduce(wide, op=operation)
        else:
            part = torch.empty(output.numel(), dtype=wide.dtype)
            dist.reduce_scatter_tensor(part, wide.view(-1), op=operation)
            wide = part.view(output.shape)
        output = wide.to(value.dtype)
    if golden == "gather" and rank != root:
        return None
    return torch.stack(parts).reshape(output.shape) if golden in ("all_gather", "gather") else output


def compare_with_gloo(rank, scripts):
    """Number of answers that agreed; raises at the first that does not."""
    agreed = 0
    for name, path in scripts.items():
        module = load(path)
        job = {"seed": 0, "cases": module.test.CASES}
        case = min(module.test.CASES, key=lambda case: math.prod(module.test.CASES[case].values()))
        for dtype in DTYPES:
            for call in (0, 3, 4):
                attrs = module.attributes_in(call, PES, module.test.CASES[case])
                inputs = module.gen_data(PES, job, dtype, case, call)
                shape = module.test.output_shapes(PES, module.test.CASES[case])["output"]
                kind = module.test.DTYPES[dtype]
                right = answer_of_gloo(OPERATORS[name][0], rank, inputs[rank], attrs, torch.empty(shape, dtype=getattr(torch, kind)))
                said = module.test.golden(rank, PES, inputs, attrs).get("output")
                if right is None:
                    assert said is None or said.numel() == 0, f"{name} {dtype}: PE {rank} has an output"
                else:
                    result = module.compare(right, said, said.numel(), kind, PES)
                    assert result["equal"], f"{name} {dtype}, call {call}, PE {rank}: {result['detail']}"
                agreed += 1
    return agreed


def gloo_process(rank, folder, scripts):
    code = 1
    warnings.filterwarnings("ignore", "`torch.distributed.reduce_scatter_tensor` is deprecated")  # its successor is new
    try:
        dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=PES)
        (folder / f"agreed{rank}").write_text(str(compare_with_gloo(rank, scripts)), encoding="utf-8")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


class Known(unittest.TestCase):
    def test_goldens_agree_with_torch_distributed(self):
        pids = []
        for rank in range(PES):
            pid = os.fork()
            if pid == 0:
                gloo_process(rank, FOLDER, SCRIPTS)
            pids.append(pid)
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
        self.assertEqual(codes, [0] * PES)
        for rank in range(PES):
            agreed = int((FOLDER / f"agreed{rank}").read_text(encoding="utf-8"))
            self.assertEqual(agreed, len(OPERATORS) * len(DTYPES) * 3)

    def test_goldens_pass_their_own_test(self):
        for name, path in SCRIPTS.items():
            module = load(path)
            for pes in (1, 2, 4):
                for dtype in DTYPES:
                    self.assertEqual(module.golden_problems(pes, dtype, set(module.test.CASES)), [], f"{name}, {pes} PEs, {dtype}")


class Doubtful(unittest.TestCase):
    """Goldens that are wrong, and what their test says."""

    def doubts(self, name, golden):
        module = load(SCRIPTS[name])
        module.test.golden = golden
        return " | ".join(module.launch.check_golden(module.test, [{"pes": 4, "dtypes": ["fp32"], "cases": list(module.test.CASES)}]))

    def test_goldens_that_are_constant(self):
        self.assertIn("输入改变, 结果不变", self.doubts("all_reduce", lambda pe, n_pes, inputs, attrs: {"output": torch.zeros(64, 64)}))

    def test_goldens_that_are_their_input(self):
        said = self.doubts("permute", lambda pe, n_pes, inputs, attrs: {"output": inputs[pe]["input"].clone()})
        self.assertEqual(said, "golden 不可信: 每个 PE 的结果就是它自己的输入")

    def test_goldens_that_are_equal_where_they_must_differ(self):
        for name in ("scatter", "reduce_scatter", "permute", "gather"):
            said = self.doubts(name, lambda pe, n_pes, inputs, attrs: {"output": inputs[0]["input"].clone()[:1]})
            self.assertEqual(said, "golden 不可信: 各 PE 的结果应当不同, 却相同", name)

    def test_goldens_that_differ_where_they_must_be_equal(self):
        said = self.doubts("all_reduce", lambda pe, n_pes, inputs, attrs: {"output": inputs[pe - 1]["input"]})
        self.assertEqual(said, "golden 不可信: 各 PE 的结果应当相同, 却不同")

    def test_goldens_that_raise_or_die(self):
        self.assertIn("golden 出错: size7: KeyError", self.doubts("all_reduce", lambda pe, n_pes, inputs, attrs: {"output": attrs["none"]}))
        self.assertEqual(self.doubts("all_reduce", lambda *_: os.abort()), "golden 的检验没有完成")

    def test_goldens_in_doubt_start_no_pe(self):
        text = SCRIPTS["permute"].read_text(encoding="utf-8")
        right = 'inputs[int(inputs[pe]["table"][pe])]["input"].clone()'
        self.assertIn(right, text)
        broken = SCRIPTS["permute"].with_name("broken.py")
        broken.write_text(text.replace(right, 'inputs[pe]["input"].clone()'), encoding="utf-8")
        for launcher in ("fork", "torchrun"):
            command = f". {BUILD}/cann/set_env.sh; exec {sys.executable} {broken} --pes 2 --launcher {launcher}"
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=100)
            self.assertNotEqual(done.returncode, 0, done.stdout)
            self.assertIn("golden 不可信: 每个 PE 的结果就是它自己的输入", done.stdout, done.stderr[-3000:])
            self.assertNotIn("[PE ", done.stdout + done.stderr)


class Seeds(unittest.TestCase):
    """Who draws which data: a table is the same for all PEs, a payload each PE's own, and every PE derives both alike."""

    def data(self, name, seed=0, call=0):
        module = load(SCRIPTS[name])
        module.common._BASE.clear()
        job = {"seed": seed, "cases": module.test.CASES}
        return module, module.gen_data(PES, job, "int32", next(iter(module.test.CASES)), call)

    def test_a_table_is_shared_and_a_payload_is_not(self):
        for name in ("permute", "all_to_all_splits", "broadcast", "all_gather"):
            module, inputs = self.data(name)
            payloads = [bytes(module.common.as_bytes(mine["input"])) for mine in inputs]
            self.assertEqual(len(set(payloads)), PES, name)
            tables = [mine["table"].tolist() for mine in inputs if "table" in mine]
            self.assertEqual(tables, tables[:1] * (PES if module.test.SHARED else 0), name)

    def test_every_pe_derives_the_same_and_another_seed_or_call_something_else(self):
        for name in ("permute", "all_gather"):
            module, inputs = self.data(name)
            self.assertEqual(*[[module.common.digest(mine) for mine in self.data(name)[1]] for _ in range(2)])
            for other in ({"seed": 1}, {"call": 1}):
                self.assertNotEqual(module.common.digest(inputs[0]), module.common.digest(self.data(name, **other)[1][0]), name)


class Reductions(unittest.TestCase):
    """The limits of a sum are wide enough for its roundings and too narrow for a PE that was left out."""

    def test_a_pe_left_out_is_seen_and_another_order_is_not(self):
        for name in ("all_reduce", "reduce_scatter"):
            module = load(SCRIPTS[name])
            for pes, kind in ((pes, kind) for pes in (2, 8) for kind in ("fp16", "bf16", "fp32")):
                self.check(module, pes, kind)

    def test_whole_numbers_stay_in_their_type_on_any_number_of_pes(self):
        module = load(SCRIPTS["all_reduce"])
        case = next(iter(module.test.CASES))
        for pes in (1, 2, 127, 128, 300):
            inputs = module.gen_data(pes, {"seed": 0, "cases": module.test.CASES}, "int8", case, 0)
            total = torch.stack([mine["input"].long() for mine in inputs]).sum(0)
            self.assertTrue(bool((total.abs() <= 127).all()), pes)
            digests = {module.common.digest(mine) for mine in inputs}
            self.assertEqual(len(digests), pes)
            for left in (0, pes - 1):
                self.assertFalse(torch.equal(total, total - inputs[left]["input"].long()), (pes, left))

    def test_partners_are_pairs(self):
        module = load(SCRIPTS["pairwise_shuffle"])
        for pes in (1, 2, 5, 8):
            case = next(iter(module.test.CASES))
            table = module.gen_data(pes, {"seed": 0, "cases": module.test.CASES}, "int8", case, 1)[0]["table"].tolist()
            self.assertEqual([table[table[pe]] for pe in range(pes)], list(range(pes)))
            self.assertEqual(sum(table[pe] == pe for pe in range(pes)), pes % 2)

    def check(self, module, pes, kind):
        case = next(iter(module.test.CASES))
        inputs = module.gen_data(pes, {"seed": 0, "cases": module.test.CASES}, kind, case, 0)
        attrs = module.attributes_in(0, pes, module.test.CASES[case])
        golden = module.test.golden(0, pes, inputs, attrs)["output"]
        dtype = module.test.DTYPES[kind]
        for left in range(pes):
            zero = {name: torch.zeros_like(value) for name, value in inputs[left].items()}
            without = module.test.golden(0, pes, [*inputs[:left], zero, *inputs[left + 1 :]], attrs)["output"]
            self.assertFalse(module.compare(without, golden, golden.numel(), dtype, pes)["equal"], (pes, kind, left))
        other = module.test.golden(0, pes, inputs[::-1], attrs)["output"]
        self.assertTrue(module.compare(other, golden, golden.numel(), dtype, pes)["equal"], (pes, kind))


class Compared(unittest.TestCase):
    """Results beside their golden, by tolerance (all_reduce) and bit by bit (all_reduce_max)."""

    @classmethod
    def setUpClass(cls):
        cls.adds = load(SCRIPTS["all_reduce"])
        cls.chooses = load(SCRIPTS["all_reduce_max"])
        cls.right = torch.randn(64, 8, generator=torch.Generator().manual_seed(1)).half()

    def compare(self, got, want=None, given=None):
        want = self.right if want is None else want
        return self.adds.compare(got, want, want.numel() if given is None else given, str(want.dtype).split(".")[1], 4)

    def changed(self, value, at=17, want=None):
        got = (self.right if want is None else want).clone()
        got.view(-1)[at] = value
        return got

    def test_a_rounding_is_allowed_and_more_is_not(self):
        at, limit = int(self.right.view(-1).abs().argmin()), 2**-8
        value = self.right.view(-1)[at].item()
        near = self.compare(self.changed(value + limit * 0.9, at))
        self.assertTrue(near["equal"], near)
        self.assertEqual((near["kind"], near["rtol"], near["atol"]), ("tolerance", limit, limit))
        self.assertTrue(0.8 * limit < near["error"] == near["largest"] <= limit)
        far = self.compare(self.changed(value + limit * 1.2, at))
        self.assertFalse(far["equal"])
        self.assertIn(f"第 {at} 个元素", far["detail"])

    def test_a_bias_is_not_allowed(self):
        even = torch.full((64, 8), 0.5).half()
        result = self.compare(even + 2**-9, even)
        self.assertFalse(result["equal"])
        self.assertTrue(result["error"] <= 2**-8 and result["bias"] > 2**-10, result)

    def test_a_nan_or_an_infinity_that_the_golden_does_not_have_fails(self):
        for strange in (math.nan, math.inf, -math.inf):
            self.assertFalse(self.compare(self.changed(strange))["equal"])
            self.assertFalse(self.compare(self.right, self.changed(strange))["equal"])
            same = self.compare(self.changed(strange), self.changed(strange))
            self.assertTrue(same["equal"], same)
        self.assertFalse(self.compare(self.changed(math.inf), self.changed(-math.inf))["equal"])
        self.assertFalse(self.compare(self.changed(math.nan), self.changed(math.inf))["equal"])

    def test_whole_numbers_and_choices_are_exact(self):
        whole = torch.arange(99, dtype=torch.int32)
        self.assertTrue(self.compare(whole, whole)["equal"])
        self.assertFalse(self.compare(self.changed(18, want=whole), whole)["equal"])
        least = torch.nextafter(self.right.float(), torch.tensor(9.0))
        self.assertFalse(self.chooses.compare(least, self.right.float(), 512, "float32", 4)["equal"])

    def test_another_shape_or_dtype_fails(self):
        for got in (self.right[:1], self.right.float(), self.right.t()):
            self.assertFalse(self.compare(got)["equal"])

    def test_what_must_stay_as_it_was_is_compared_bit_by_bit(self):
        want = torch.cat([self.right, self.adds.common.poisoned([1, 8], torch.float16)])
        self.assertTrue(self.compare(want, want, 512)["equal"])
        result = self.compare(self.changed(0.0, 515, want), want, 512)
        self.assertFalse(result["equal"])
        self.assertIn("不该写的元素被改写", result["detail"])

    def test_the_limits_follow_dtype_and_additions(self):
        limits = self.adds.limits
        self.assertEqual(limits("float16", 8), (2**-8, 2**-10))
        self.assertEqual(limits("float16", 2048), (2**-7, 2**-10))
        self.assertEqual(limits("bfloat16", 8), (2**-7, 2**-7))
        self.assertEqual(limits("float32", 8), (2**-11, 2**-14))
        self.assertIsNone(limits("int32", 8))
        said = self.adds.comparison({"pes": 2, "dtypes": ["int8", "fp16"]})
        self.assertEqual(said, "int8 逐位相等; float16 容差 rtol = atol = 0.00391, 偏差不超过 0.000977")
        self.assertEqual(self.chooses.comparison({"pes": 2, "dtypes": ["fp16"]}), "逐位相等")


class Judged(unittest.TestCase):
    """What the parent makes of the records that PEs file."""

    def judge(self, module, change):
        """Problems with the records of one call on one PE, changed."""
        right = torch.ones(64, 8).half()
        near = right.clone()
        near[0, 0] += 2**-9
        result = module.compare(near if module is self.adds else right, right, 512, "float16", 1)
        del result["detail"]
        record = {"nonce": "n", "pe": 0, "dtype": "fp16", "case": "a", "call": 0, "layout": "strided", "input": "1",
                  "outputs": {"output": result}, "equal": True, "detail": ""}
        change(record, result)
        with tempfile.TemporaryDirectory() as folder:
            lines = [record, {"nonce": "n", "pe": 0, "finished": True}]
            path = pathlib.Path(folder) / "pe0.jsonl"
            path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            job = {"pes": 1, "dtypes": ["fp16"], "cases": {"a": {}}, "calls": 1, "folder": folder, "nonce": "n"}
            return module.judge(job, {0: 0})[0]

    def setUp(self):
        self.adds, self.moves = load(SCRIPTS["all_reduce"]), load(SCRIPTS["permute"])

    def test_a_result_within_its_limits_is_accepted_though_its_bytes_differ(self):
        seen = {}
        self.assertEqual(self.judge(self.adds, lambda record, result: seen.update(result)), [])
        self.assertNotEqual(seen["golden"], seen["output"])
        self.assertEqual(self.judge(self.moves, lambda record, result: None), [])

    def test_equal_inputs_of_two_pes_are_no_evidence(self):
        """A seed that forgets the PE: every result is right, and nothing is shown."""
        for second, wanted in (("2", []), ("1", ["record"])):
            record = {"nonce": "n", "dtype": "int32", "case": "a", "call": 0, "layout": "", "equal": True, "detail": "",
                      "outputs": {"output": {"kind": "bitwise", "golden": "g", "output": "g"}}}
            case = next(iter(self.moves.test.CASES))
            row = [{**record, "pe": 0, "input": "1"}, {**record, "pe": 1, "input": second}]
            job = {"pes": 2, "seed": 0, "cases": self.moves.test.CASES}
            problems = self.moves.launch.judge_call(self.moves.test, job, "int32", case, 0, row)
            self.assertEqual([kind for kind, _ in problems], wanted, problems)

    def test_a_record_that_contradicts_itself_is_refused(self):
        def of(**fields):
            return lambda record, result: result.update(fields)

        for change in (of(error=2**-7), of(error=math.nan), of(error=-1), of(bias=0.5), of(bias=math.inf), of(rtol=1.0), of(atol=1.0),
                       of(bias_limit=1.0), of(kind="bitwise"), of(rtol=1.0, atol=1.0, error=0.5)):
            self.assertNotEqual(self.judge(self.adds, change), [])
        for change in (of(output="0"), of(kind="tolerance"), of(kind="tolerance", output="0", error=0, rtol=0, bias=0)):
            self.assertNotEqual(self.judge(self.moves, change), [])
        for module in (self.adds, self.moves):
            self.assertNotEqual(self.judge(module, lambda record, result: record.update(outputs={})), [])
            self.assertNotEqual(self.judge(module, lambda record, result: record.update(equal=False)), [])
            self.assertNotEqual(self.judge(module, lambda record, result: record["outputs"].update(more=result)), [])


if __name__ == "__main__":
    unittest.main()
