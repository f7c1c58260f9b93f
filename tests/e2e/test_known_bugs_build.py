"""Faults other projects had when building, generating and loading bindings, tried on ours; one test each, named after the fault.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem.
"""

import concurrent.futures
import importlib.metadata
import re
import shlex
import shutil
import unittest

from example_tree import EXAMPLE, copy_example
from known_bugs import BUILD, CLANG, GCC, LIBRARY, PYTHON, ROOTS, KnownBugs, python, run, tool

OPERATORS = 'import sys, torch, torch_npu\nfor name in sys.argv[1:]: torch.ops.load_library(name)\n'


def each(function, cases):
    """The results of function(case), two at a time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(function, cases))


def files_of(tree):
    return {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*") if path.is_file()}


class Configuring(KnownBugs):
    def test_bl_55_torch_is_asked_from_the_interpreter(self):
        venv = self.folder() / "an environment"
        venv.symlink_to(PYTHON.parents[1])
        bare = self.folder() / "python3"
        bare.write_text(f'#!/bin/sh\nexec {PYTHON} -S "$@"\n')  # an interpreter without torch
        bare.chmod(0o755)
        # The right one is named, another one comes first on PATH, and its path has a blank.
        build, said = self.configure(interpreter=venv / "bin/python", env={"PATH": f"{bare.parent}:/usr/bin:/bin"})
        self.succeeded(said)
        words = shlex.split(self.commands(build)[0])
        self.assertTrue([word for word in words if word.startswith(str(venv)) and word.endswith("torch/include")], words)
        self.assertTrue([word for word in words if word.startswith(str(venv)) and word.endswith("torch_npu/include")], words)
        # One without torch: no fallback to another, and Python's own words.
        build, said = self.configure(interpreter=bare)
        words = self.refused(said)
        self.assertIn(f"not installed for {bare}", words)
        self.assertIn("ModuleNotFoundError: No module named 'torch'", words)
        self.assertFalse((build / "build.ninja").exists())

    def test_bl_56_what_torchs_own_cmake_files_want_is_not_asked_for(self):
        build, said = self.configure("-DCMAKE_REQUIRE_FIND_PACKAGE_CUDA=ON", "--trace-expand")
        self.succeeded(said)
        self.assertNotRegex(said.stderr, r"TorchConfig\.cmake|Caffe2Config\.cmake")
        self.assertNotRegex(self.commands(build)[-1], "cuda|kineto|nvToolsExt|nvtx")
        # A warning that reads like a failure is none: the exit status counts.
        tree = self.tree_with_library(self.library, "echo 'CMake Warning: static library kineto_LIBRARY-NOTFOUND not found' >&2")
        self.succeeded(tool("build", tree / "all_gather", *ROOTS))

    def test_bl_57_every_source_has_the_string_abi_of_torch(self):
        for command in self.commands(self.build)[:-1]:
            self.assertEqual(command.count("-D_GLIBCXX_USE_CXX11_ABI=1"), 1, command)
        other, same = each(lambda abi: self.configure(f"-DCMAKE_CXX_FLAGS=-D_GLIBCXX_USE_CXX11_ABI={abi}")[1], (0, 1))
        self.succeeded(same)
        words = self.refused(other)
        self.assertIn("CMAKE_CXX_FLAGS say _GLIBCXX_USE_CXX11_ABI=0", words)
        self.assertIn(f"torch {importlib.metadata.version('torch')}", words)
        self.assertIn("take it out of CXXFLAGS", words)
        # No std::string crosses the border of the kernel library, so that its ABI does not matter.
        exported = self.succeeded(run("nm", "-DC", "--defined-only", self.tree / "all_gather/build/lib/liball_gather_kernel.so"))
        entries = [line for line in exported.splitlines() if "aclshmem_all_gather<" in line]
        self.assertEqual(len(entries), 5)
        self.assertFalse([line for line in entries if "basic_string" in line])

    def test_bl_61_the_users_compiler_and_lto_are_honoured(self):
        for how in ({"env": {"CXX": CLANG}}, {}):
            definitions = ["-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON"] + ([] if how else [f"-DCMAKE_CXX_COMPILER={CLANG}"])
            build, said = self.configure(*definitions, **how)
            self.succeeded(said)
            words = shlex.split(self.commands(build)[0])
            self.assertTrue([word for word in words if word.endswith(CLANG)], words)
            self.assertTrue([word for word in words if word.startswith("-flto")], words)
            self.assertNotIn("-fno-gnu-unique", words)  # g++ only
            self.assertNotIn("-fno-fat-lto-objects", words)
        flags = self.flags_of(build)
        self.succeeded(self.compile(EXAMPLE / "torch_binding/src/torch_bindings.cpp", "-Werror", compiler=CLANG, flags=flags))
        build, said = self.configure("-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON", "-DCMAKE_CXX_COMPILER=g++")
        self.succeeded(said)
        self.assertIn("-flto", self.commands(build)[0])
        self.assertNotIn("-flto=thin", self.commands(build)[0])


class Compiling(KnownBugs):
    def test_bl_62_warnings_are_errors_for_nobody_and_there_are_none(self):
        foreign = [flag for flag in self.flags if "/torch/include" in flag or "/torch_npu/include" in flag]
        self.assertTrue(foreign)
        self.assertFalse([flag for flag in foreign if flag.startswith("-I")], "headers of others are system headers")
        self.assertFalse([flag for flag in self.flags if flag.startswith("-Werror")])
        sources = [(name, compiler) for name in ("torch_bind_all_gather", "npu_launch") for compiler in (GCC, CLANG)]
        strict = ("-Wall", "-Wextra", "-Werror")
        for result in each(lambda case: self.compile(EXAMPLE / f"torch_binding/src/{case[0]}.cpp", *strict, compiler=case[1]), sources):
            self.succeeded(result)

    def test_bl_64_headers_stand_alone(self):
        headers = sorted(path.name for path in (EXAMPLE / "torch_binding/include").iterdir())
        self.assertEqual(len(headers), 3)
        texts = [f'#include "{name}"\n' * 2 + "int main() {}\n" for name in headers]
        for name, result in zip(headers, each(lambda text: self.compile(text, "-Werror"), texts), strict=True):
            self.assertEqual(result.returncode, 0, f"{name}: {result.stderr[-2000:]}")

    def test_bl_66_names_of_another_sdk_do_not_clash(self):
        sdk = self.folder() / "sdk.h"
        sdk.write_text("#define ERROR_LOG(...) broken\n#define ACL_CHECK(...) broken\n#define CHECK_RET(...) broken\n"
                       "struct bfloat16 {}; struct bfloat16_t {}; struct half {}; struct fp16_t {}; enum Status { kBad };\n"
                       "class Manager {}; class AllGather {}; class Epoch {}; void launch(); void narrow(); void method();\n")
        self.succeeded(self.compile(EXAMPLE / "torch_binding/src/torch_bind_all_gather.cpp", "-include", sdk, "-Werror"))
        objects = list((self.build / "CMakeFiles").rglob("*.o"))
        self.assertEqual(len(objects), 9)
        lines = self.succeeded(run("nm", "-Pg", "--defined-only", *objects)).splitlines()
        names = [line.split()[0] for line in lines if line and not line.endswith(":")]
        self.assertTrue(any(name.startswith("_ZN9shmem_ops6launch") for name in names))
        # Mangled, a name outside all namespaces and classes has its length right behind _Z.
        unprefixed = [name for name in names if re.match(r"_Z(T[ISV])?\d", name) or not name.startswith(("_", "DW."))]
        self.assertEqual(unprefixed, [])

    def test_bl_67_a_class_registers_any_number_of_methods(self):
        text, counts = ['#include "torch_register.h"\nnamespace ShmemOps {\n'], (0, 1, 6, 7, 12)
        for count in counts:
            methods = "".join(f"int64_t m{i}(int64_t a) {{ return a + {i}; }}\n" for i in range(count))
            text.append(f"struct C{count} : torch::jit::CustomClassHolder {{\n{methods}}};\n")
        text.append("}\n")
        for count in counts:
            items = "".join(f', (m{i}, "a")' for i in range(count))
            text.append(f"REGISTER_SHMEM_OPS_CLASS(C{count}{items});\n")
        source = self.folder() / "counts.cpp"
        source.write_text("".join(text))
        self.succeeded(self.compile(source, "-Werror"))
        expanded = self.succeeded(run(GCC, *self.flags, "-E", "-P", source))
        for count in counts:
            registered = expanded[expanded.index(f"shmem_ops_registered_C{count} "):].split(";")[0]
            self.assertEqual(registered.count("::shmem_ops::method("), count, registered)


class Loading(KnownBugs):
    def link(self, *options, without=""):
        """Links the built objects once more, in another way."""
        words = shlex.split(self.commands(self.build)[-1])
        words = words[2:words.index("&&", 2)]
        target = self.folder() / LIBRARY
        words[words.index("-o") + 1] = str(target)
        self.succeeded(run(*[word for word in words if not without or without not in word], *options, cwd=self.build))
        return target

    def test_bl_54_one_class_registered_twice(self):
        other, link = self.folder(), self.folder() / "a_link.so"
        link.symlink_to(self.library)
        said = self.succeeded(python(OPERATORS + "print(torch.classes.ShmemOps.AllGather)", self.library, self.library, link))
        self.assertNotIn("registered already", said)
        second = shutil.copy(self.library, other / "aclshmem_torch.so")
        said = self.succeeded(python(OPERATORS + "print('alive')", self.library, second))
        self.assertIn("ShmemOps.AllGather is registered already by another library", said)
        self.assertIn("alive", said)
        # A source listed twice in CMake's file is compiled and linked once.
        copy_example(other / "custom-ops", "all_gather")
        cmake = other / "custom-ops/torch_binding/CMakeLists.txt"
        name = "  src/torch_bind_all_gather.cpp\n"
        cmake.write_text(cmake.read_text().replace(name, name * 2))
        build, said = self.configure(source=other / "custom-ops")
        self.succeeded(said)
        self.assertEqual(self.commands(build)[-1].count("torch_bind_all_gather.cpp.o"), 1)
        # Two operators that mean one class: refused before anything is written.
        op = self.another_operator(other / "custom-ops", "gather_again", "  class_name: AllGather\n")
        before = files_of(other)
        self.assertIn("the class name AllGather is taken by", self.refused(tool("generate", op)))
        self.assertEqual(files_of(other), before)

    def test_bl_58_python_symbols_and_order_of_imports(self):
        self.assertIn("-Wl,--no-undefined", self.commands(self.build)[-1])
        self.assertNotIn("torch_python", self.succeeded(run("readelf", "-d", self.library)))
        undefined = self.succeeded(run("nm", "-D", "--undefined-only", self.library))
        self.assertNotRegex(undefined, r" (_?Py[A-Z_]|THP)")
        # torch_npu needs libtorch_python: before torch, the loader says so, and nothing is lost for a second try.
        late = ("import ctypes, sys\ntry: ctypes.CDLL(sys.argv[1])\nexcept OSError as error: print('refused:', error)\n"
                "import torch, torch_npu\nctypes.CDLL(sys.argv[1])\nprint('class:', torch.classes.ShmemOps.AllGather)\n")
        said = self.succeeded(python(late, self.library))
        self.assertIn("refused: libtorch_python.so: cannot open shared object file", said)
        self.assertIn("class: <torch.ScriptClass", said)

    def test_bl_59_kernel_libraries_are_found_without_rpath_and_after_a_move(self):
        self.assertIn("$ORIGIN/../../../all_gather/build/lib", self.succeeded(run("readelf", "-d", self.library)))
        moved = self.moved_tree()
        where = "import shmem_custom_ops.all_gather; print(open('/proc/self/maps').read())"
        said = self.succeeded(self.import_from(moved, where))
        self.assertIn(f"{moved}/all_gather/build/lib/liball_gather_kernel.so", said)
        self.assertNotIn(f"{self.tree}/", said)
        binding = moved / "torch_binding/build/lib" / LIBRARY
        script = moved / "strip.cmake"
        script.write_text(f'file(RPATH_REMOVE FILE "{binding}")\n')
        self.succeeded(run("cmake", "-P", script))
        self.assertNotRegex(self.succeeded(run("readelf", "-d", binding)), "R(UN)?PATH")
        self.succeeded(self.import_from(moved))
        (moved / "broadcast/build/lib/libbroadcast_kernel.so").unlink()
        words = self.refused(self.import_from(moved))
        self.assertIn("ImportError", words)
        self.assertIn("libbroadcast_kernel.so", words)
        self.assertIn(f"LD_LIBRARY_PATH is {BUILD}", words)

    def test_bl_63_the_registration_is_not_dropped(self):
        ask = OPERATORS + "print(torch.classes.ShmemOps.AllGather, torch.classes.ShmemOps.KVShuffle, torch.ops.shmem_ops.all_gather)"
        linked = self.link("-Wl,--as-needed", "-Wl,--gc-sections")
        self.succeeded(python(ask, linked, env={"LD_LIBRARY_PATH": ""}))
        # A library that lost one, as from an archive: the build says so.
        tree = self.tree_with_library(self.link(without="torch_bind_all_gather.cpp.o"))
        result = tool("build", tree / "all_gather", *ROOTS)
        self.assertEqual(result.returncode, 12, result.stdout + result.stderr)
        self.assertIn("registers no class ShmemOps.AllGather", result.stderr)

    def test_bl_92_the_library_knows_what_it_was_built_with(self):
        recorded = self.library.with_suffix(".versions")
        expected = {name: importlib.metadata.version(name) for name in ("torch", "torch_npu")}
        self.assertEqual(recorded.read_text(), "".join(f"{name}={version}\n" for name, version in expected.items()))
        moved = self.moved_tree()
        libraries = moved / "torch_binding/build/lib"
        (libraries / LIBRARY).write_bytes(b"what another torch_npu would not resolve")
        for name, version in expected.items():
            (libraries / recorded.name).write_text("".join(f"{n}={'9.1' if n == name else v}\n" for n, v in expected.items()))
            words = self.refused(self.import_from(moved))
            self.assertIn(f"was built with {name} 9.1, this process runs {name} {version}; build it again:", words)


class Generating(KnownBugs):
    def test_bl_65_a_second_run_changes_nothing(self):
        tree = self.folder() / "custom-ops"
        copy_example(tree, "all_gather")
        first = tree / "all_gather"
        second = self.another_operator(tree, "gather_again")
        self.succeeded(tool("generate", first))
        self.succeeded(tool("generate", second))
        both = files_of(tree)
        for op in (first, second, first, first):
            self.succeeded(tool("generate", op))
            self.assertEqual(files_of(tree), both)
        cmake = tree / "torch_binding/CMakeLists.txt"
        for result in each(lambda op: tool("generate", op), (first, second) * 4):  # at once, on one tree
            self.succeeded(result)
        self.assertEqual(files_of(tree), both)
        # Renamed: the old name's files leave with `clean`, the shared ones name the new one once.
        self.succeeded(tool("clean", second))
        shutil.rmtree(second)
        third = self.another_operator(tree, "gather_renamed")
        self.succeeded(tool("generate", third))
        self.assertFalse([name for name, text in files_of(tree).items() if b"gather_again" in text or "gather_again" in name])
        self.assertEqual(cmake.read_text().count("  src/torch_bind_gather_renamed.cpp\n"), 1)
        # A line of the user inside our marks is not written over.
        edited = cmake.read_text().replace("  src/torch_bind_all_gather.cpp\n", "  src/torch_bind_all_gather.cpp  # mine\n")
        cmake.write_text(edited)
        self.assertIn("CMakeLists.txt", self.refused(tool("generate", first)))
        self.assertEqual(cmake.read_text(), edited)


if __name__ == "__main__":
    unittest.main()
