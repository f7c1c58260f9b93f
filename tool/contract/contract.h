#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/diagnostic.h"

// The model: what an operator means (design.md) and how its kernel is called (header), checked
// against each other. Plain values without I/O; everything after `check` reads only this and cannot
// meet invalid input.

namespace shmem_bind::contract {

// THE dtype table has one row per value; see dtype.h.
enum class Dtype {
  kInt8,
  kUint8,
  kInt16,
  kInt32,
  kInt64,
  kFp16,
  kBf16,
  kFp32,
  kFp64,
  kBool,
  kFp8E4m3,
  kFp8E5m2
};

// --- expressions (spec: contract §4) ---
struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;  // immutable, shared freely

struct Expression {
  enum class Kind { kInteger, kName, kUnary, kBinary, kConditional, kCall };
  Kind kind = Kind::kInteger;
  int64_t value = 0;  // kInteger, units already multiplied
  std::string text;   // kName: the name; kUnary/kBinary: the operator; kCall: the function
  std::vector<ExpressionPtr> operands;  // kCall: arguments; A[1] is the call dim(A, 1)
  Span span;
};

// One element of a shape.
struct Dimension {
  enum class Kind {
    kExpression,
    kSymbol,
    kAny,
    kEllipsis
  };  // symbol: bound by the first input that has it
  Kind kind = Kind::kExpression;
  std::string symbol;        // kSymbol
  ExpressionPtr expression;  // kExpression, e.g. n_pes or rows * 2
};

struct Tensor {
  std::string name;      // as the contract spells it: method argument, keyword and messages
  std::string cpp_name;  // with `_` appended when it is a C++ or Python keyword
  bool is_input = false;
  bool is_output = false;  // both: in-place, one parameter that is read and written
  bool follows_dispatch = false;
  Dtype dtype = Dtype::kInt8;  // when !follows_dispatch
  std::vector<Dimension> shape;
  bool optional = false;  // may be absent on a PE: None in Python, a null pointer for the kernel
  bool shared = false;    // torch_binding.shared: all PEs see equal values

  bool binds() const { return is_input && !optional; }  // gives shape symbols their values
};

struct Attribute {
  enum class Type { kInt, kFloat, kBool };
  std::string name;
  std::string cpp_name;
  Type type = Type::kInt;
  std::string default_text;  // as C++ and Python literal of that type; "true"/"false" for bool
};

// What one kernel parameter receives.
struct Argument {
  enum class Role { kBlockDim, kStream, kFfts, kTensor, kState, kExpression };
  Role role = Role::kExpression;
  std::string parameter;     // name in the header, may be empty
  std::string cpp_type;      // type of the parameter as written: "int32_t", "uint8_t*", "void*"
  int tensor = -1;           // kTensor: index into Contract::tensors
  ExpressionPtr expression;  // kExpression; mentions `epoch` when it carries the epoch
  std::string text = {};     // kExpression: as the contract spells it
  std::string canonical_type =
      {};  // without typedefs: "int", "unsigned char *", "type-parameter-0-0 *"
};

struct KernelEntry {
  std::string qualified_name;  // "ShmemKernel::aclshmem_all_gather"
  std::string declaration;  // the declaration to print into shmem_torch_kernel.h, one statement, no
                            // default arguments
  std::vector<std::string> namespaces;  // {"ShmemKernel"}
  std::string name;                     // "aclshmem_all_gather"
  bool is_template = false;             // instantiated for each dispatch dtype
  std::vector<Argument> arguments;
  std::string header_path;  // relative to the operator's folder: "src/all_gather_kernel.h"
};

// `n_pes`: a range, a list, or a multiple.
struct PeCounts {
  int64_t min = 1;
  int64_t max = 16384;
  int64_t multiple_of = 1;
  std::vector<int64_t> list;  // not empty: exactly these
  bool allows(int64_t pe_count) const;
  std::string text() const;  // "1..16", for messages
};

struct Golden {
  enum class Kind { kCollective, kDocument, kFile };
  Kind kind = Kind::kCollective;
  std::string collective;  // "all_gather"
  std::string python;      // kDocument: the code
  std::string file;        // kFile: relative to the operator's folder
  std::string function;
  Span span;
};

// A condition with the text the user wrote, for the message.
struct Requirement {
  ExpressionPtr condition;
  std::string text;
};

// Values for the shape symbols and the attributes of one test: declared in
// correctness.case_matrix, or the tool's own.
struct Case {
  std::string name;
  std::map<std::string, int64_t> symbols;
  std::map<std::string, std::string> attributes;  // of every attribute: a literal, as default_text
  bool stress = false;
  bool declared = true;
};

struct Gate {
  std::string name;    // "correctness", "review"
  std::string result;  // "passed", "" when missing
  std::string evidence;
  bool passed = false;
};

enum class BuildMode { kIndependentProject, kInTreeExample };

struct Contract {
  std::string op_name;     // all_gather
  std::string class_name;  // AllGather
  BuildMode build_mode = BuildMode::kIndependentProject;
  // The operator's file gets the seed document's include list instead of the headers it needs.
  bool seed_includes = false;
  std::optional<bool> torch_required;
  std::vector<Tensor> tensors;  // in the order of compute(): outputs first, then inputs
  std::vector<Attribute> attributes;
  std::vector<Dtype> dispatch;               // empty: nothing is dispatched
  std::vector<Requirement> requirements;     // shape_relations and torch_binding.require
  std::vector<std::pair<int, int>> aliases;  // (output, input) indices that may share memory
  ExpressionPtr block_dim;                   // always set
  ExpressionPtr state_bytes;                 // null: the kernel has no state
  std::map<std::string, int64_t> maxima;     // torch_binding.max
  PeCounts pe_counts;
  KernelEntry entry;
  std::optional<Golden> golden;
  std::string op_kind;              // meta.op_kind: decides the tolerance class
  std::optional<double> tolerance;  // the smaller of correctness.tolerance's; never makes it wider
  std::vector<Gate> gates;
  std::vector<Case> cases;  // at least one
  std::string digest;  // of design.md's canonical block and the header's declaration: 16 hex digits
};

}  // namespace shmem_bind::contract
