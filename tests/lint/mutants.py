"""mutants.py SHMEM_BIND TREE: a copy of TREE, the generated custom-ops, with one fault each; lint must name it.

The cases in tests/cases show the rules on code by hand. This shows them on the code that generate writes, whose checks and
launches stand in functions of another file.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DEADLINE_S = 60
PARTS = ("all_gather", "torch_binding", "scripts")
# One operator is enough, and quicker.
OTHERS = shutil.ignore_patterns("build", "torch_bind_[b-z]*.cpp", "[b-ln-su-z]*.py", "torch_bind_all_to_all.cpp", "all_to_all.py")
BINDING = "torch_binding/src/torch_bind_all_gather.cpp"
LAUNCH = "torch_binding/src/npu_launch.cpp"
MANAGER = "torch_binding/src/torch_bindings.cpp"
BUILD = "torch_binding/CMakeLists.txt"
TEST = "all_gather/scripts/torch_test_all_gather.py"
DATA = "scripts/multi_pe_test.py"  # what all tests import
PARENT = "scripts/multi_pe_launch.py"

# (the rule that must see it, file, text, what stands there instead)
MUTANTS = [
    ("L003", MANAGER, "void free_tensor(const at::Tensor& tensor)", "void drop(const at::Tensor& tensor)"),
    ("L003", MANAGER, "         (malloc_like, \"tensor\"),", ""),
    ("L004", BINDING, '    shmem_ops::check_device(output, kName, "output");\n    shmem_ops::check_device(input, kName, "input");\n', ""),
    ("L005", BINDING, "at::kHalf", "at::kShort"),
    ("L006", BINDING, "elements_value,\n                                            magic_value", "elements_value,\n                                            1"),
    ("L006", BINDING, "epoch_.advance();", ""),
    ("L007", LAUNCH, "tensors.find(tensor.data_ptr())", "tensors.find(tensor.storage().mutable_data())"),
    ("L008", BINDING, "output_memory.data())", "output.data_ptr())"),
    ("L008", BINDING, "output_memory(output_dense)", "output_memory(output)"),
    ("L009", BINDING, "input_memory(input_dense)", "input_memory(input)"),
    ("L010", LAUNCH, "TORCH_CHECK(block_->pointer != nullptr,", "TORCH_CHECK(bytes > 0,"),
    ("L011", LAUNCH, "block_->pointer = aclshmem_calloc(1, static_cast<size_t>(bytes));", "block_->pointer = aclshmem_malloc(static_cast<size_t>(bytes)); TORCH_CHECK(aclrtMemset(block_->pointer, bytes, 0, bytes) == 0);"),
    ("L012", LAUNCH, "at_npu::native::OpCommand::RunOpApiV2", "run_now"),
    ("L013", LAUNCH, "block_->dropped = block_->open;", "close_block(*block_);"),
    ("L014", LAUNCH, "const int code = aclshmem_finalize();", "int code = 0; aclshmem_finalize();"),
    ("L020", BUILD, "torch_npu shmem ascendcl)", "shmem ascendcl)"),
    ("L021", BUILD, "shmem_custom_ops_torch SHARED", "aclshmem_torch SHARED"),
    ("L031", DATA, "torch.equal(", "torch.same("),
    ("L032", DATA, '.manual_seed(int(hashlib.sha256(text.encode()).hexdigest()[:15], 16))', '.manual_seed(42)'),
    ("L034", TEST, "    load_libraries()\n", ""),
    ("L036", PARENT, "os.waitpid(", "os.wait_for("),
    ("L037", PARENT, 'return f"tcp://127.0.0.1:{probe.getsockname()[1]}"', 'return "tcp://127.0.0.1:8662"'),
    ("L002", BINDING, "REGISTER_SHMEM_OPS_CLASS(AllGather,", "NOT_REGISTERED(AllGather,"),
]


def codes_of(tool, tree, mutant):
    """The codes lint finds in a copy of the tree with the mutant in it."""
    _, name, old, new = mutant
    with tempfile.TemporaryDirectory(prefix="shmem-bind-lint-") as folder:
        copy = pathlib.Path(folder) / "custom-ops"
        for part in PARTS:
            shutil.copytree(pathlib.Path(tree) / part, copy / part, ignore=OTHERS)
        text = (copy / name).read_text(encoding="utf-8")
        assert old in text, f"{name} has no {old!r}: the mutant must follow the generator"
        (copy / name).write_text(text.replace(old, new), encoding="utf-8")
        done = subprocess.run([tool, "lint", str(copy)], capture_output=True, text=True, timeout=DEADLINE_S)
        codes = sorted(set(re.findall(r"error\[(L\d+)\]", done.stdout)))
        assert done.returncode == (10 if codes else 0), f"{mutant}: exit {done.returncode}: {done.stdout}{done.stderr}"
        return codes


def main():
    tool, tree = (os.path.abspath(word) for word in sys.argv[1:3])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda mutant: codes_of(tool, tree, mutant), MUTANTS))
    missed = 0
    for mutant, codes in zip(MUTANTS, found):
        seen = mutant[0] in codes
        missed += not seen
        print(f"{'seen' if seen else 'MISSED'} {mutant[0]} in {mutant[1]}: {mutant[3][:60]!r}: {' '.join(codes) or 'nothing'}")
    print(f"{len(MUTANTS) - missed} seen, {missed} missed")
    sys.exit(missed != 0)


if __name__ == "__main__":
    main()
