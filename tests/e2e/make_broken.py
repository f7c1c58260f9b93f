"""Broken variants of the example all_gather: its tree with one fault each, as committed trees under tests/e2e/broken/.

    python3 tests/e2e/make_broken.py           writes the trees anew
    python3 tests/e2e/make_broken.py --check   exits 1 when a tree differs (a test does this)
"""

import filecmp
import pathlib
import shutil
import sys
import tempfile

from example_tree import copy_example

ROOT = pathlib.Path(__file__).resolve().parents[2]
BROKEN = ROOT / "tests/e2e/broken"
KERNEL = "custom-ops/all_gather/src/all_gather_kernel.cpp"
LAUNCH = "custom-ops/torch_binding/src/npu_launch.cpp"
BINDING = "custom-ops/torch_binding/src/torch_bind_all_gather.cpp"

# name -> (file, [(text, replacement)])
FAULTS = {
    # The signal may arrive before the data it announces.
    "kernel_signal_before_data": (KERNEL, [
        ("    aclshmem_quiet();\n    SignalMyPeers(Flag(kSmallReady, me_));", "    SignalMyPeers(Flag(kSmallReady, me_));"),
        ("    aclshmem_quiet();  // the piece is complete before anyone hears of it\n", ""),
    ]),
    # Any signal of an earlier call satisfies the wait of a later one.
    "kernel_stale_epoch": (KERNEL, [
        ("aclshmem_signal_wait_until(Flag(kSmallReady, peer), ACLSHMEM_CMP_GE, magic_);",
         "aclshmem_signal_wait_until(Flag(kSmallReady, peer), ACLSHMEM_CMP_NE, 0);"),
        ("aclshmem_signal_wait_until(Flag(kLargeReady, peer * kMaxBlocks + block_), ACLSHMEM_CMP_GE, sequence);",
         "aclshmem_signal_wait_until(Flag(kLargeReady, peer * kMaxBlocks + block_), ACLSHMEM_CMP_NE, 0);"),
    ]),
    # The storage's first byte instead of the tensor's: wrong for views with an offset.
    "binding_storage_base": (BINDING, [
        ("static_cast<uint8_t*>(input_memory.data())", "static_cast<uint8_t*>(input_dense.storage().mutable_data())"),
    ]),
    # Launched on the default stream, whatever stream is current.
    "binding_default_stream": (LAUNCH, [
        ("c10_npu::getCurrentNPUStream()", "c10_npu::getDefaultNPUStream()"),
    ]),
    # Launched on the stream that was current when the object was made.
    "binding_stream_of_construction": (BINDING, [
        ("#include <torch/library.h>\n", "#include <torch/library.h>\n#include <torch_npu/csrc/core/npu/NPUStream.h>\n"),
        ("shmem_ops::launch(kName, [=](void* stream) -> int {", "shmem_ops::launch(kName, [=, stream = made_on_](void*) -> int {"),
        ("  shmem_ops::Epoch epoch_;\n",
         "  shmem_ops::Epoch epoch_;\n  void* const made_on_ = c10_npu::getCurrentNPUStream().stream(false);\n"),
    ]),
    # All objects of a process share one state: a signal for one of them ends the wait of another.
    "binding_shared_state": (BINDING, [
        ("#include <algorithm>\n", "#include <algorithm>\n#include <memory>\n"),
        ("AllGather() : state_(kName, state_bytes()) {}", "AllGather() : state_(state_of_all()) {}"),
        ("state_.data()", "state_->data()"),
        ("void close() { state_.close(); }", "void close() { state_.reset(); }"),
        ("  shmem_ops::OperatorState state_;\n",
         "  struct Closer {\n    shmem_ops::OperatorState state{kName, state_bytes()};\n    ~Closer() { state.close(); }\n"
         "    uint8_t* data() const { return state.data(); }\n  };\n\n"
         "  static std::shared_ptr<Closer> state_of_all() {\n    static std::weak_ptr<Closer> last;\n"
         "    std::shared_ptr<Closer> state = last.lock();\n    if (state == nullptr) {\n      state = std::make_shared<Closer>();\n"
         "      last = state;\n    }\n    return state;\n  }\n\n  std::shared_ptr<Closer> state_;\n"),
    ]),
    # Memory without gaps is taken as it lies, though its dimensions may be permuted.
    "binding_permuted_taken_as_it_lies": (BINDING, [
        ("input_dense = input.contiguous();", "input_dense = input.is_non_overlapping_and_dense() ? input : input.contiguous();"),
    ]),
    # Nobody holds the contiguous copy: the next tensor gets its memory.
    "binding_copy_dropped": (BINDING, [
        ("    const at::Tensor output_dense = output.contiguous();\n    const at::Tensor input_dense = input.contiguous();\n",
         "    void* const input_data = input.contiguous().data_ptr();\n    const at::Tensor output_dense = output.contiguous();\n"),
        ("    const shmem_ops::Memory input_memory(input_dense);\n", ""),
        ("input_memory.data()", "input_data"),
    ]),
    # The call number does not reach the kernel.
    "binding_epoch_not_passed": (BINDING, [
        ("shmem_ops::mul(epoch, 256)", "shmem_ops::mul(1, 256)"),
        ("const int64_t epoch = epoch_.next();", "[[maybe_unused]] const int64_t epoch = epoch_.next();"),
    ]),
}


def make(name, target):
    file, edits = FAULTS[name]
    copy_example(target / "custom-ops", "all_gather")
    (target / "custom-ops/all_gather/README.md").unlink()
    text = (target / file).read_text(encoding="utf-8")
    for old, new in edits:
        if old not in text:
            sys.exit(f"{name}: {file} has no '{old.strip()}'")
        text = text.replace(old, new)
    (target / file).write_text(text, encoding="utf-8")


def differences(fresh, committed):
    names = {p.relative_to(fresh) for p in fresh.rglob("*") if p.is_file()}
    names |= {p.relative_to(committed) for p in committed.rglob("*") if p.is_file() and "build" not in p.parts}
    return [str(n) for n in sorted(names)
            if not ((fresh / n).is_file() and (committed / n).is_file() and filecmp.cmp(fresh / n, committed / n, shallow=False))]


def main():
    check = sys.argv[1:] == ["--check"]
    wrong = 0
    for name in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            fresh = pathlib.Path(folder) / name
            make(name, fresh)
            for path in differences(fresh, BROKEN / name):
                wrong += 1
                print("" if check else "written: ", end="")
                print(f"{BROKEN.relative_to(ROOT)}/{name}/{path}" + (" differs" if check else ""))
            if not check:
                shutil.rmtree(BROKEN / name, ignore_errors=True)
                shutil.copytree(fresh, BROKEN / name)
    if check and wrong:
        sys.exit("run python3 tests/e2e/make_broken.py and commit the result")


if __name__ == "__main__":
    main()
