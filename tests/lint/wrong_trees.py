"""Trees that break an item of the two lists, each written in another way than the cases of tests/cases: for items.py.

A tree is tests/lint/by_hand with edits: (file, old, new), or (file, None, text of a new file). RIGHT are other spellings of what
is right: nothing may be found in them.
"""

BINDING = "torch_binding/src/torch_bind_copy_rows.cpp"
MANAGER = "torch_binding/src/torch_bindings.cpp"
BUILD = "torch_binding/CMakeLists.txt"
TEST = "copy_rows/scripts/torch_test_copy_rows.py"
README = "copy_rows/README.md"

REGISTER = "REGISTER_SHMEM_OPS_CLASS(CopyRows, compute, close, get_name);"
REGISTER_MANAGER = """REGISTER_SHMEM_OPS_CLASS(
    Manager, attr_init, finalize, malloc_tensor, malloc_like, free_tensor, get_name);"""
CHECK_DEVICE = """    TORCH_CHECK(input.device().type() == c10::DeviceType::PrivateUse1,
                "CopyRows: input is on ",
                input.device());
"""
CHECK_DTYPE = """    TORCH_CHECK(output.scalar_type() == input.scalar_type(), "CopyRows: the dtypes differ");
"""
CHECK_SHAPE = """    TORCH_CHECK(input.dim() == 2 && output.dim() == 3,
                "CopyRows: not [rows, cols] and [n_pes, rows, cols]");
"""
CHECK_GAPS = """    TORCH_CHECK(output.is_contiguous(), "CopyRows: output has gaps");
"""
DENSE = "    const at::Tensor dense = input.contiguous();\n"
POINTER = "static_cast<uint8_t*>(dense.data_ptr())"
ALLOCATE = """    state_ = aclshmem_calloc(1, 4096 * static_cast<size_t>(aclshmem_n_pes()));
    TORCH_CHECK(state_ != nullptr, "CopyRows: no symmetric memory");
"""
HALF = """      case at::kHalf:
        return run<op::fp16_t>(stream, dense, output, count_);
"""
LINKS = "copy_rows_kernel ${TORCH_LIBRARIES} torch_npu shmem)"
PROPERTIES = 'set_target_properties(shmem_custom_ops_torch PROPERTIES PREFIX "" OUTPUT_NAME "shmem_custom_ops_torch")'
EQUAL = """    if not torch.equal(output.cpu(), golden):
        raise AssertionError(f"[PE {pe}] 结果不符")
"""
DATA = """    data = [torch.randn((64, 32), generator=torch.Generator().manual_seed(42 + p)) for p in range(pes)]
    return data[pe], torch.stack(data)
"""
INIT = """    if manager.attr_init(pe, pes, 64 << 20, ip_port) != 0:
        raise RuntimeError("attr_init 失败")
"""
LOAD = '    torch.ops.load_library("shmem_custom_ops_torch.so")\n'
STREAM = "c10_npu::getCurrentNPUStream().stream()"
JOIN = """    for process in processes:
        process.join()
    sys.exit(any(process.exitcode != 0 for process in processes))
"""
PROCESSES = "    processes = [multiprocessing.Process(target=worker, args=(pe, pes, ip_port)) for pe in range(pes)]\n"
BARE = "custom-ops/torch_binding -B custom-ops/torch_binding/build"

# (item, code, edits)
WRONG = [
    ("S14.1", "L002", [(BINDING, REGISTER, "#if 0\n" + REGISTER + "\n#endif")]),
    ("S14.1", "L002", [(BINDING, REGISTER, 'TORCH_LIBRARY_FRAGMENT(ShmemOps, m) {\n  m.class_<CopyRows>("Copyrows").def("compute", &CopyRows::compute);\n}')]),
    ("S14.1", "L002", [(BINDING, REGISTER, 'TORCH_LIBRARY(CopyOps, m) {\n  m.class_<CopyRows>("CopyRows").def("compute", &CopyRows::compute);\n}')]),
    ("S14.1", "L002", [(BINDING, "CopyRows : public", "RowCopier : public"), (BINDING, "  CopyRows() {", "  RowCopier() {"),
                       (BINDING, "CLASS(CopyRows,", "CLASS(RowCopier,")]),
    ("S14.2", "L004", [(BINDING, CHECK_DEVICE, '    TORCH_CHECK(input.device() == output.device(), "CopyRows: two devices");\n')]),
    ("S14.2", "L004", [(BINDING, CHECK_SHAPE, '    TORCH_CHECK(output.numel() == input.numel() * aclshmem_n_pes(), "CopyRows: sizes");\n')]),
    ("S14.2", "L004", [(BINDING, CHECK_DTYPE, ""), (BINDING, CHECK_SHAPE, CHECK_SHAPE + '    TORCH_WARN_ONCE(input.scalar_type() == at::kInt, "slow");\n')]),
    ("S14.3", "L005", [(BINDING, HALF, ""), (BINDING, CHECK_GAPS, CHECK_GAPS +
                       '    TORCH_CHECK(input.scalar_type() == at::kInt || input.scalar_type() == at::kHalf, "CopyRows: int32 and fp16 only");\n')]),
    ("S14.3", "L005", [(BINDING, HALF, ""), (BINDING, "  void close() {", "  static bool takes(at::ScalarType type) { return type == at::kInt || type == at::kHalf; }\n\n  void close() {")]),
    ("S14.4", "L003", [(MANAGER, REGISTER_MANAGER, 'TORCH_LIBRARY_FRAGMENT(ShmemOps, m) {\n  m.class_<Manager>("Manager")\n      .def(torch::init<>())\n'
                        '      .def("attr_init", &Manager::attr_init)\n      .def("finalize", &Manager::finalize)\n'
                        '      .def("malloc_tensor", &Manager::malloc_tensor)\n      .def("malloc_like", &Manager::malloc_like);\n}')]),
    ("S14.4", "L003", [(MANAGER, REGISTER_MANAGER, "")]),
    ("S14.5", "L020", [(BUILD, LINKS, "${PARTS})"), (BUILD, "find_package", "set(PARTS copy_rows_kernel ${TORCH_LIBRARIES})\nlist(APPEND PARTS shmem)\nfind_package")]),
    ("S14.5", "L020", [(BUILD, LINKS, "copy_rows_kernel ${TORCH_LIBRARIES} shmem)\ntarget_link_libraries(copy_rows_program PRIVATE torch_npu)")]),
    ("S14.6", "L021", [(BUILD, PROPERTIES, 'set_target_properties(${PROJECT_NAME} PROPERTIES PREFIX "")'),
                       (BUILD, "library(shmem_custom_ops_torch", "library(${PROJECT_NAME}"), (BUILD, "libraries(shmem_custom_ops_torch", "libraries(${PROJECT_NAME}"),
                       (BUILD, "project(shmem_custom_ops_torch", "project(copy_ops")]),
    ("S14.6", "L021", [(BUILD, PROPERTIES, PROPERTIES + "\nset_property(TARGET shmem_custom_ops_torch PROPERTY LIBRARY_OUTPUT_NAME aclshmem_torch)")]),
    ("S14.7", "L022", [("copy_rows/torch/CMakeLists.txt", None, "project(copy_rows_torch)\nfind_package(Torch REQUIRED)\nadd_library(shmem_custom_ops_torch SHARED x.cpp)\n")]),
    ("S14.7", "L022", [("copy_rows/setup.py", None, "from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CppExtension\n"
                        "setup(ext_modules=[CppExtension('copy_rows', ['x.cpp'])], cmdclass={'build_ext': BuildExtension})\n")]),
    ("S14.8", "L031", [(TEST, EQUAL, '    print("PASS" if torch.equal(output.cpu(), golden) else "FAIL")\n')]),
    ("S14.8", "L031", [(TEST, EQUAL, '    if not torch.allclose(output.cpu(), golden):\n        print(f"[PE {pe}] 结果不符")\n')]),
    ("S14.8", "L031", [(TEST, EQUAL, "    same = torch.equal(output.cpu(), golden)\n")]),
    ("S14.8", "L033", [(TEST, INIT, "")]),
    ("S14.9", "L033", [(TEST, "default=8", "default=PES"), (TEST, "def gen_data", "PES = 1\n\n\ndef gen_data")]),
    ("S14.10", "L033", [(TEST, "attr_init(pe, pes,", "attr_init(pe, n_ranks=1, local_mem_size="), (TEST, "64 << 20, ip_port)", "64 << 20, ip_port=ip_port)")]),
    ("S15.1", "L003", [(MANAGER, "class Manager", "class Runtime"), (MANAGER, "    Manager, attr_init", "    Runtime, attr_init")]),
    ("S15.2", "L007", [(BINDING, POINTER, "static_cast<uint8_t*>(dense.storage().unsafeGetStorageImpl()->mutable_data())")]),
    ("S15.2", "L007", [(BINDING, "    ++count_;", "    const c10::Storage& memory = dense.storage();\n    ++count_;\n    (void)memory.data();")]),
    ("S15.2", "L008", [(BINDING, DENSE, "    const at::Tensor& dense = input;\n")]),
    ("S15.2", "L008", [(BINDING, DENSE, ""), (BINDING, "(stream, dense, output, count_);\n      case", "(stream, input, output, count_);\n      case"),
                       (BINDING, "<op::fp16_t>(stream, dense,", "<op::fp16_t>(stream, input,")]),
    ("S15.2", "L009", [(BINDING, DENSE, "    const at::Tensor dense = input;\n    auto packed = input.contiguous();\n    TORCH_CHECK(packed.numel() == input.numel());\n")]),
    ("S15.3", "L032", [(TEST, "manual_seed(42 + p)", "manual_seed(seed)"), (TEST, "    data = [", "    seed = 42\n    data = [")]),
    ("S15.3", "L032", [(TEST, DATA, "    torch.manual_seed(args.seed)\n    data = torch.randn((64, 32))\n    return data, torch.stack([data] * pes)\n"),
                       (TEST, "def gen_data(pe, pes):", "args = argparse.ArgumentParser().parse_args()\n\n\ndef gen_data(pe, pes):")]),
    ("S15.3", "L032", [(TEST, "def gen_data(pe, pes):", "def gen_data(pe, pes, seed=7):"), (TEST, "manual_seed(42 + p)", "manual_seed(seed * 2)")]),
    ("S15.4", "L034", [(TEST, LOAD, ""), (TEST, "\n    main()\n", "\n    torch.classes.load_library(\"shmem_custom_ops_torch.so\")\n    main()\n")]),
    ("S15.4", "L034", [(TEST, LOAD, ""), (TEST, "    ip_port = free_endpoint()\n", "    ip_port = free_endpoint()\n    prepare()\n"),
                       (TEST, "def main():", 'def prepare():\n    torch.ops.load_library("shmem_custom_ops_torch.so")\n\n\ndef main():')]),
    ("S15.5", "L006", [(BINDING, "ShmemKernel::copy_rows_kernel<T>(", "copy_rows_kernel<T>("), (BINDING, "void run(void* stream", "void run(void* queue"),
                       (BINDING, "                                     stream,", "                                     queue,"),
                       (BINDING, "    ++count_;\n", ""), (BINDING, "output, count_)", "output, 1)")]),
    ("S15.5", "L006", [(BINDING, "    ++count_;\n", "")]),
    ("S15.6", "L037", [(TEST, "    ip_port = free_endpoint()\n", '    ip_port = f"tcp://127.0.0.1:{PORT}"\n'), (TEST, "def gen_data", "PORT = 29500\n\n\ndef gen_data")]),
    ("S15.6", "L037", [(TEST, "    ip_port = free_endpoint()\n", '    ip_port = "tcp://127.0.0.1:" + str(29501)\n')]),
    ("S15.6", "L037", [(TEST, "    ip_port = free_endpoint()\n", '    ip_port = "tcp://{}:{}".format("127.0.0.1", 29502)\n')]),
    ("S15.6", "L037", [(TEST, "    op = torch", '    os.environ["SHMEM_UID_SESSION_ID"] = "127.0.0.1:29503"\n    op = torch'), (TEST, "import socket", "import os\nimport socket")]),
    ("S15.6", "L037", [("copy_rows/scripts/run.sh", None, "#!/bin/bash\nPORT=29504\nexport IPPORT=tcp://127.0.0.1:${PORT}\n./copy_rows \"$IPPORT\"\n")]),
    ("S15.6", "L037", [(MANAGER, '"%s", ip_port.c_str())', '"tcp://127.0.0.1:%d", 29505)')]),
    ("S15.7", "L022", [("copy_rows/binding/copy_rows_torch.cpp", None, "#include <torch/custom_class.h>\nclass Other : public torch::jit::CustomClassHolder {};\n"
                        "REGISTER_SHMEM_OPS_CLASS(Other);\n")]),
    ("S15.8", "L021", [(TEST, "shmem_custom_ops_torch.so", "aclshmem_torch.so")]),
    ("S15.9", "L038", [(TEST, "    op = torch", '    getattr(ctypes.CDLL("libshmem.so"), "aclshmem_putmem")(0, 0, 4, pe)\n    op = torch'), (TEST, "import socket", "import ctypes\nimport socket")]),
    ("S15.9", "L038", [(TEST, "    op = torch", "    shmem.barrier_all()\n    op = torch"), (TEST, "import torch\n", "import shmem\nimport torch\n")]),
    ("S15.10", "L020", [(BUILD, LINKS, "copy_rows_kernel ${TORCH_LIBRARIES} shmem)\ntarget_include_directories(shmem_custom_ops_torch PRIVATE torch_npu)")]),
    ("S15.11", "L033", [(TEST, PROCESSES, "    torch.multiprocessing.spawn(worker, args=(pes, ip_port), nprocs=1)\n    processes = []\n")]),
    ("S15.12", "L030", [("copy_rows/tests/torch_test_copy_rows.py", None, "print('ok')\n"), (TEST, None, "")]),
    ("S15.13", "L040", [(README, None, "# copy_rows\n\nBuild it with `cmake -S " + BARE + "`.\n")]),
    ("S15.13", "L040", [(README, None, "# copy_rows\n\n    cd custom-ops/torch_binding && cmake -B build -DX=1\n")]),
    ("S15.13", "L040", [(README, None, "# copy_rows\n\n```sh\nCXX=g++ cmake -G Ninja -DSHMEM_REPO=$SHMEM_REPO -S " + BARE + "\n```\n")]),
    ("S15.13", "L040", [(TEST, '"attr_init 失败"', '"build it: cmake -S ' + BARE + '"')]),
    ("", "L010", [(BINDING, ALLOCATE, "    state_ = static_cast<uint8_t*>(aclshmem_calloc(1, 4096));\n")]),
    ("", "L011", [(BINDING, ALLOCATE, ALLOCATE.replace("aclshmem_calloc(1, ", "aclshmem_malloc(") + "    clear(state_, 4096);\n"),
                  (BINDING, "  std::string get_name", "  static void clear(void* memory, size_t bytes) {\n    TORCH_CHECK(aclrtMemset(memory, bytes, 0, bytes) == 0);\n  }\n\n  std::string get_name")]),
    ("", "L012", [(BINDING, STREAM, "c10_npu::getCurrentNPUStreamNoWait()")]),
    ("", "L012", [(BINDING, STREAM, "c10_npu::getCurrentNPUStream().stream(kWait)"), (BINDING, "namespace ShmemOps {\n", "namespace ShmemOps {\n\nconstexpr bool kWait = false;\n")]),
    ("", "L013", [(BINDING, "  void* state_ = nullptr;", "  struct Free {\n    void operator()(void* memory) const { aclshmem_free(memory); }\n  };\n  std::unique_ptr<void, Free> state_;")]),
    ("", "L013", [(BINDING, "  void* state_ = nullptr;", "  std::shared_ptr<void> owner_{nullptr, [](void* memory) { aclshmem_free(memory); }};\n  void* state_ = nullptr;")]),
    ("", "L014", [(MANAGER, "    return aclshmemx_init_attr(", "    int status = aclshmemx_set_conf_store_tls(false, nullptr, 0);\n    status = aclshmemx_init_attr("),
                  (MANAGER, "_DEFAULT, &attributes);", "_DEFAULT, &attributes);\n    return status;")]),
    ("", "L014", [(MANAGER, "    return aclshmemx_init_attr(", "    const int status = aclshmemx_init_attr("), (MANAGER, "_DEFAULT, &attributes);", "_DEFAULT, &attributes);\n    return 0;")]),
    ("", "L014", [(TEST, INIT, "    status = manager.attr_init(pe, pes, 64 << 20, ip_port)\n")]),
    ("", "L035", [(TEST, "def main():\n", "PES = 8\n\n\ndef main():\n    global PES\n"), (TEST, "    pes = parser.parse_args().pes\n", "    PES = pes = parser.parse_args().pes\n"),
                  (TEST, "attr_init(pe, pes,", "attr_init(pe, PES,")]),
    ("", "L036", [(TEST, JOIN, '    for process in processes:\n        process.join()\n        print(process.exitcode)\n')]),
    ("", "L036", [(TEST, JOIN, '    for process in processes:\n        process.join()\n        if process.exitcode != 0:\n            print("failed")\n')]),
    ("", "L036", [(TEST, "    sys.exit(", "    subprocess.run([sys.executable, __file__])\n    sys.exit("), (TEST, "import sys", "import subprocess\nimport sys")]),
]

# What is right, spelt otherwise.
RIGHT = [
    [],
    [(BINDING, "class CopyRows : public torch::jit::CustomClassHolder", "using Holder = torch::jit::CustomClassHolder;\n\nclass CopyRows final : public Holder")],
    [(BINDING, REGISTER, ""), (MANAGER, REGISTER_MANAGER, REGISTER_MANAGER + "\n" + REGISTER)],
    [(BINDING, REGISTER, 'TORCH_LIBRARY_FRAGMENT(ShmemOps, m) {\n  m.class_<CopyRows>("CopyRows").def(torch::init<>()).def("compute", &CopyRows::compute);\n}')],
    [(BINDING, CHECK_DEVICE, "    if (!input.is_privateuseone()) {\n      TORCH_CHECK(false, \"CopyRows: input is on \", input.device());\n    }\n")],
    [(BINDING, CHECK_DEVICE, "    if (input.device().type() != c10::DeviceType::PrivateUse1) {\n      throw std::invalid_argument(\"CopyRows: input is on another device\");\n    }\n")],
    [(BINDING, CHECK_DEVICE + CHECK_DTYPE + CHECK_SHAPE, "    validate(output, input);\n"),
     ("torch_binding/src/validate.cpp", None, "#include <torch/torch.h>\nvoid validate(const at::Tensor& output, const at::Tensor& input) {\n" + CHECK_DEVICE + CHECK_DTYPE + CHECK_SHAPE + "}\n")],
    [(BINDING, "    ++count_;", "    count_ = count_ + 1;")],
    [(BUILD, LINKS, "${PARTS})"), (BUILD, "find_package", "set(PARTS copy_rows_kernel ${TORCH_LIBRARIES})\nlist(APPEND PARTS torch_npu shmem)\nfind_package")],
    [(BUILD, LINKS, "-lcopy_rows_kernel ${TORCH_LIBRARIES} -ltorch_npu -lshmem)")],
    [(BUILD, PROPERTIES, 'set_target_properties(${PROJECT_NAME} PROPERTIES PREFIX "")'),
                       (BUILD, "library(shmem_custom_ops_torch", "library(${PROJECT_NAME}"), (BUILD, "libraries(shmem_custom_ops_torch", "libraries(${PROJECT_NAME}")],
    [(BUILD, PROPERTIES, 'set(CMAKE_SHARED_LIBRARY_PREFIX "")')],
    [(TEST, EQUAL, '    assert (output.cpu() == golden).all(), f"[PE {pe}] 结果不符"\n')],
    [(TEST, EQUAL, '    same = torch.equal(output.cpu(), golden)\n    print(f"[PE {pe}]", same)\n    sys.exit(not same)\n')],
    [(TEST, LOAD, "    load_all()\n"), (TEST, "import sys\n", "import sys\n\nfrom loading import load_all\n"),
     ("copy_rows/scripts/loading.py", None, "import torch\n\n\ndef load_all():\n    torch.ops.load_library('shmem_custom_ops_torch.so')\n")],
    [(TEST, "    if manager.attr_init(pe, pes, 64 << 20, ip_port) != 0:", "    status = manager.attr_init(pe, pes, 64 << 20, ip_port)\n    if status != 0:")],
    [(TEST, "manual_seed(42 + p)", "manual_seed(seed)"), (TEST, "    data = [torch", "    seeds = [42 + p for p in range(pes)]\n    data = [torch"), (TEST, "for p in range(pes)]\n    return", "for seed in seeds]\n    return")],
    [(TEST, DATA, "    return one(pe), torch.stack([one(p) for p in range(pes)])\n"), (TEST, "def gen_data", "def one(pe, base=42):\n    torch.manual_seed(base + pe)\n    return torch.randn((64, 32))\n\n\ndef gen_data")],
    [(README, None, "# copy_rows\n\nRun `scripts/build_kernel.sh`; below it there is `cmake -S " + BARE + "`, and `cmake --version` says which.\n")],
    [("copy_rows/scripts/run.sh", None, "#!/bin/bash\nPORT=$(free_port)\nexport IPPORT=tcp://127.0.0.1:${PORT}\n./copy_rows \"$IPPORT\"\n")],
    [(MANAGER, "    return aclshmemx_init_attr(", "    const int status = aclshmemx_init_attr("), (MANAGER, "_DEFAULT, &attributes);", "_DEFAULT, &attributes);\n    return status;")],
]
