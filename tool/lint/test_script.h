#pragma once

#include <set>
#include <string>
#include <vector>

#include "tool/lint/tree.h"

// What several rules ask of a test script.

namespace shmem_bind::lint {

using Script = File<PythonFile>;

// Scripts that start SHMEM: they call attr_init.
std::vector<const Script*> shmem_scripts(const Tree& tree);
// Those of them that are tests, by name or folder: torch_test_*.py, torch_test/*.py.
std::vector<const Script*> test_scripts(const Tree& tree);
// The script and the files of the tree that it imports, directly or not: they are one program.
std::vector<const Script*> program_of(const Tree& tree, const Script& script);
// The files of these programs, each once.
std::vector<const Script*> programs_of(const Tree& tree, const std::vector<const Script*>& scripts);
Span span_of(const Script& script, const PythonPlace& place);

// The functions that call `name` themselves.
std::set<std::string> callers_of(const PythonFile& file, const std::string& name);
// The functions and what they reach through functions of the file.
std::set<std::string> reached_from(const PythonFile& file, std::set<std::string> functions);
// The workers: functions that call attr_init, targets of processes, and all these reach.
std::set<std::string> worker_functions(const PythonFile& file);
// The same, and the functions that lead to attr_init without starting a process on the way: they
// run in the worker's process before it.
std::set<std::string> worker_process_functions(const PythonFile& file);
// What runs in every process that imports the file: "" for the file itself, and what it calls.
std::set<std::string> import_functions(const PythonFile& file);

const PythonCall* call_of(const PythonFile& file, std::initializer_list<const char*> names);

}  // namespace shmem_bind::lint
