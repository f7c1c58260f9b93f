#include "tool/contract/kernel_header.h"

#include <clang-c/Index.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "tool/base/text.h"

namespace shmem_bind::contract {
namespace {

constexpr const char* kStubFolder = "/shmem-bind-stubs";
constexpr const char* kHeaderFolder = "/shmem-bind-header";

// Fixed-width integers as the compiler defines them for its target.
constexpr std::string_view kIntegers = R"(#pragma once
typedef __INT8_TYPE__ int8_t; typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t; typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t; typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t; typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t; typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t; typedef __UINTPTR_TYPE__ uintptr_t;
namespace std {
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t; using ::int32_t;
using ::uint32_t; using ::int64_t; using ::uint64_t; using ::size_t; using ::ptrdiff_t;
using ::intptr_t; using ::uintptr_t;
}
)";

// Enough of the vendor's headers for declarations: qualifiers, handles, the 16-bit types
// (shmem_api.md C.2, E.1).
constexpr std::string_view kVendor = R"(#pragma once
#include <cstdint>
#define __gm__
#define __ubuf__
#define __inline__ inline
#define __aicore__ __attribute__((annotate("device")))
#define __global__ __attribute__((annotate("device")))
typedef void* aclrtStream;
typedef uint8_t* GM_ADDR;
typedef int aclError;
namespace op { struct fp16_t { uint16_t val; }; struct bfloat16 { uint16_t val; }; }
struct half { uint16_t val; };
struct bfloat16_t { uint16_t val; };
)";

constexpr std::array<std::string_view, 6> kIntegerHeaders = {
    "cstdint", "stdint.h", "cstddef", "stddef.h", "inttypes.h", "cinttypes"};
constexpr std::array<std::string_view, 10> kVendorHeaders = {"acl/acl.h",
                                                             "acl/acl_rt.h",
                                                             "acl/acl_base.h",
                                                             "kernel_operator.h",
                                                             "shmem.h",
                                                             "shmem_api.h",
                                                             "opdev/fp16_t.h",
                                                             "opdev/bfloat16.h",
                                                             "runtime/rt_ffts.h",
                                                             "host_device/shmem_common_types.h"};

std::string take(CXString text) {
  const char* chars = clang_getCString(text);
  std::string result = chars == nullptr ? "" : chars;
  clang_disposeString(text);
  return result;
}

size_t offset_of(CXSourceLocation location) {
  unsigned offset = 0;
  clang_getExpansionLocation(location, nullptr, nullptr, nullptr, &offset);
  return offset;
}

Span span_of(CXCursor cursor, int source) {
  const CXSourceRange range = clang_getCursorExtent(cursor);
  return {source, offset_of(clang_getRangeStart(range)), offset_of(clang_getRangeEnd(range))};
}

std::vector<std::string> namespaces_of(CXCursor cursor) {
  std::vector<std::string> names;
  for (CXCursor parent = clang_getCursorSemanticParent(cursor);
       clang_getCursorKind(parent) == CXCursor_Namespace;
       parent = clang_getCursorSemanticParent(parent)) {
    if (clang_Cursor_isInlineNamespace(parent) == 0) {
      names.insert(names.begin(), take(clang_getCursorSpelling(parent)));
    }
  }
  return names;
}

// --- walking the syntax tree; libclang calls back with a pointer ---

struct Collector {
  int source;
  KernelHeader& header;
  std::set<std::string> seen;  // declarations, which may stand twice
};

struct FunctionCollector {
  Function& function;
  int source;
  int template_parameters = 0;
  bool has_other_parameters = false;  // values and templates
};

CXChildVisitResult visit_function_part(CXCursor cursor, CXCursor, CXClientData data) {
  auto& [function, source, template_parameters, has_others] =
      *static_cast<FunctionCollector*>(data);
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_ParmDecl: {
      const CXType type = clang_getCursorType(cursor);
      function.parameters.push_back({take(clang_getCursorSpelling(cursor)),
                                     take(clang_getTypeSpelling(type)),
                                     take(clang_getTypeSpelling(clang_getCanonicalType(type))),
                                     span_of(cursor, source)});
      break;
    }
    case CXCursor_TemplateTypeParameter:
      ++template_parameters;
      function.template_parameter = take(clang_getCursorSpelling(cursor));
      break;
    case CXCursor_NonTypeTemplateParameter:
    case CXCursor_TemplateTemplateParameter:
      has_others = true;
      break;
    case CXCursor_AnnotateAttr:
      function.is_device = function.is_device || take(clang_getCursorSpelling(cursor)) == "device";
      break;
    default:
      break;
  }
  return CXChildVisit_Continue;
}

Function read_function(CXCursor cursor, int source) {
  Function function;
  function.namespaces = namespaces_of(cursor);
  function.name = take(clang_getCursorSpelling(cursor));
  function.name = function.name.substr(0, function.name.find('<'));
  function.return_type =
      take(clang_getTypeSpelling(clang_getResultType(clang_getCursorType(cursor))));
  function.is_template = clang_getCursorKind(cursor) == CXCursor_FunctionTemplate;
  function.is_c = !function.is_template && take(clang_Cursor_getMangling(cursor)) == function.name;
  function.span = span_of(cursor, source);
  function.is_variadic = clang_isFunctionTypeVariadic(clang_getCursorType(cursor)) != 0;
  FunctionCollector parts{function, source};
  clang_visitChildren(cursor, &visit_function_part, &parts);
  if (parts.has_other_parameters || parts.template_parameters != 1) {
    function.template_parameter.clear();
  } else if (function.template_parameter.empty()) {
    function.template_parameter = "T";  // `template <class>`
  }
  return function;
}

CXChildVisitResult visit(CXCursor cursor, CXCursor, CXClientData data) {
  auto& collector = *static_cast<Collector*>(data);
  if (clang_Location_isFromMainFile(clang_getCursorLocation(cursor)) == 0) {
    return CXChildVisit_Continue;
  }
  const CXCursorKind kind = clang_getCursorKind(cursor);
  // libclang 16 shows `extern "C"` as a declaration it does not expose.
  if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
      kind == CXCursor_UnexposedDecl) {
    return CXChildVisit_Recurse;
  }
  if (kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate) {
    Function function = read_function(cursor, collector.source);
    if (collector.seen.insert(function.qualified() + function.declaration()).second) {
      collector.header.functions.push_back(std::move(function));
    }
  }
  const bool is_class =
      kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl || kind == CXCursor_ClassTemplate;
  if (is_class && clang_isCursorDefinition(cursor) != 0) {
    collector.header.classes.push_back(take(clang_getCursorSpelling(cursor)));
  }
  return CXChildVisit_Continue;
}

// --- errors ---

// "'x.h' file not found" -> x.h
std::string file_not_found(const std::string& text) {
  const size_t end = text.find("' file not found");
  return end == std::string::npos || text.empty() ? "" : text.substr(1, end - 1);
}

// An error belongs to the function whose declaration it stands in: up to the ';' or '{' behind it,
// for what is missing there is found late.
void add_error(HeaderError error, std::string_view text, KernelHeader& header) {
  for (Function& function : header.functions) {
    const size_t end = text.find_first_of(";{", function.span.end);
    if (error.span.begin >= function.span.begin && error.span.begin <= end) {
      function.errors.push_back(std::move(error));
      return;
    }
  }
  header.errors.push_back(std::move(error));
}

void collect_errors(CXTranslationUnit unit, const HeaderText& text, KernelHeader& header) {
  const int source = text.source;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
    const std::unique_ptr<void, void (*)(CXDiagnostic)> item(clang_getDiagnostic(unit, i),
                                                             &clang_disposeDiagnostic);
    if (clang_getDiagnosticSeverity(item.get()) < CXDiagnostic_Error) {
      continue;
    }
    const std::string what = take(clang_getDiagnosticSpelling(item.get()));
    const CXSourceLocation place = clang_getDiagnosticLocation(item.get());
    if (std::string file = file_not_found(what); !file.empty()) {
      header.not_found.push_back(std::move(file));
    } else if (clang_Location_isFromMainFile(place) != 0) {
      add_error({{source, offset_of(place), offset_of(place) + 1}, what}, text.text, header);
    } else {
      header.errors.push_back({{source, 0, 1}, "in an included file: " + what});
    }
  }
}

// Files that exist only in memory, with the lifetimes libclang wants.
class UnsavedFiles {
 public:
  void add(std::string path, std::string_view text) {
    paths_.push_back(std::make_unique<std::string>(std::move(path)));
    files_.push_back({paths_.back()->c_str(), text.data(), text.size()});
  }
  CXUnsavedFile* data() { return files_.data(); }
  unsigned size() const { return static_cast<unsigned>(files_.size()); }

 private:
  std::vector<std::unique_ptr<std::string>> paths_;
  std::vector<CXUnsavedFile> files_;
};

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string below(const char* folder, std::string_view name) {
  return std::string(folder).append("/").append(name);
}

UnsavedFiles files_of(const HeaderText& header, std::span<const HeaderText> others) {
  UnsavedFiles files;
  files.add(below(kHeaderFolder, file_name(header.path)), header.text);
  for (const HeaderText& other : others) {
    files.add(below(kHeaderFolder, file_name(other.path)), other.text);
  }
  for (const std::string_view name : kIntegerHeaders) {
    files.add(below(kStubFolder, name), kIntegers);
  }
  for (const std::string_view name : kVendorHeaders) {
    files.add(below(kStubFolder, name), kVendor);
  }
  return files;
}

// Typedefs of the vendor's headers, which a stand-alone declaration does not see.
std::string without_vendor_typedefs(std::string type) {
  type = replaced(std::move(type), "GM_ADDR", "uint8_t *");
  type = replaced(std::move(type), "aclrtStream", "void *");
  type = replaced(std::move(type), "aclError", "int");
  return type;
}

}  // namespace

bool Parameter::is_number() const {
  static const std::set<std::string_view> numbers = {"bool",
                                                     "char",
                                                     "signed char",
                                                     "unsigned char",
                                                     "short",
                                                     "unsigned short",
                                                     "int",
                                                     "unsigned int",
                                                     "long",
                                                     "unsigned long",
                                                     "float",
                                                     "double",
                                                     "long long",
                                                     "unsigned long long"};
  return numbers.contains(canonical);
}

std::string Function::qualified() const {
  std::string out;
  for (const std::string& space : namespaces) {
    out.append(space).append("::");
  }
  return out + name;
}

std::string Function::declaration() const {
  std::vector<std::string> list;
  list.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    const std::string type = replaced(without_vendor_typedefs(parameter.type), " *", "*");
    list.push_back(parameter.name.empty() ? type : type + " " + parameter.name);
  }
  std::string out = is_template ? "template <class " + template_parameter + ">\n" : "";
  out += is_c ? "extern \"C\" " : "";
  return out + without_vendor_typedefs(return_type) + " " + name + "(" + joined(list, ", ") + ");";
}

KernelHeader read_kernel_header(const HeaderText& header, std::span<const HeaderText> others) {
  UnsavedFiles files = files_of(header, others);
  const std::string main_file = below(kHeaderFolder, file_name(header.path));
  const std::string stubs = std::string("-I") + kStubFolder;
  // Kernel headers use uint32_t without including anything.
  const std::string first = below(kStubFolder, kVendorHeaders[0]);
  const std::array arguments = {"-x",
                                "c++",
                                "-std=c++17",
                                "-nostdinc",
                                // No compiler of this machine is looked for.
                                "--gcc-toolchain=/shmem-bind",
                                "--cuda-path=/shmem-bind",
                                "--rocm-path=/shmem-bind",
                                "-ferror-limit=0",
                                stubs.c_str(),
                                "-include",
                                first.c_str()};
  const std::unique_ptr<void, void (*)(CXIndex)> index(clang_createIndex(0, 0),
                                                       &clang_disposeIndex);
  const std::unique_ptr<CXTranslationUnitImpl, void (*)(CXTranslationUnit)> unit(
      clang_parseTranslationUnit(
          index.get(),
          main_file.c_str(),
          arguments.data(),
          static_cast<int>(arguments.size()),
          files.data(),
          files.size(),
          CXTranslationUnit_SkipFunctionBodies | CXTranslationUnit_KeepGoing),
      &clang_disposeTranslationUnit);
  KernelHeader result;
  if (unit == nullptr) {
    result.errors.push_back({{header.source, 0, 1}, "the parser gave up"});
    return result;
  }
  Collector collector{header.source, result, {}};
  clang_visitChildren(clang_getTranslationUnitCursor(unit.get()), &visit, &collector);
  collect_errors(unit.get(), header, result);
  return result;
}

}  // namespace shmem_bind::contract
