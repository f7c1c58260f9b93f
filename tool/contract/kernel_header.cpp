#include "tool/contract/kernel_header.h"

#include <clang-c/Index.h>

#include <array>
#include <memory>

#include "tool/base/text.h"
#include "tool/contract/errors.h"

namespace shmem_bind::contract {
namespace {

constexpr const char* kStubFolder = "/shmem-bind-stubs";

// Enough of the vendor's headers for declarations: qualifiers, handles, the 16-bit types.
constexpr const char* kStub = R"(#pragma once
#include <stddef.h>
#include <stdint.h>
#define __gm__
#define __ubuf__
#define __aicore__
#define __global__
typedef void* aclrtStream;
typedef uint8_t* GM_ADDR;
namespace op { struct fp16_t { uint16_t val; }; struct bfloat16 { uint16_t val; }; }
struct half { uint16_t val; };
struct bfloat16_t { uint16_t val; };
)";

constexpr std::array kStubbed = {"acl/acl.h",
                                 "acl/acl_rt.h",
                                 "kernel_operator.h",
                                 "shmem.h",
                                 "opdev/fp16_t.h",
                                 "opdev/bfloat16.h",
                                 "shmem_api.h",
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
    names.insert(names.begin(), take(clang_getCursorSpelling(parent)));
  }
  return names;
}

struct Collector {
  int source;
  std::vector<Function> functions;
};

CXChildVisitResult add_parameter(CXCursor cursor, CXCursor, CXClientData data) {
  if (clang_getCursorKind(cursor) == CXCursor_ParmDecl) {
    auto& [function, source] = *static_cast<std::pair<Function*, int>*>(data);
    const CXType type = clang_getCursorType(cursor);
    function->parameters.push_back({take(clang_getCursorSpelling(cursor)),
                                    take(clang_getTypeSpelling(type)),
                                    take(clang_getTypeSpelling(clang_getCanonicalType(type))),
                                    span_of(cursor, source)});
  }
  return CXChildVisit_Continue;
}

CXChildVisitResult visit(CXCursor cursor, CXCursor, CXClientData data) {
  auto& collector = *static_cast<Collector*>(data);
  if (clang_Location_isFromMainFile(clang_getCursorLocation(cursor)) == 0) {
    return CXChildVisit_Continue;
  }
  const CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec) {
    return CXChildVisit_Recurse;
  }
  if (kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate) {
    Function function;
    function.namespaces = namespaces_of(cursor);
    function.name = take(clang_getCursorSpelling(cursor));
    function.name = function.name.substr(0, function.name.find('<'));
    function.return_type =
        take(clang_getTypeSpelling(clang_getResultType(clang_getCursorType(cursor))));
    function.is_template = kind == CXCursor_FunctionTemplate;
    function.span = span_of(cursor, collector.source);
    std::pair<Function*, int> target(&function, collector.source);
    clang_visitChildren(cursor, &add_parameter, &target);
    collector.functions.push_back(std::move(function));
  }
  return CXChildVisit_Continue;
}

// True when the compiler found an error; each becomes a diagnostic.
bool report_errors(CXTranslationUnit unit, int source, Diagnostics& diagnostics) {
  bool any = false;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
    CXDiagnostic item = clang_getDiagnostic(unit, i);
    if (clang_getDiagnosticSeverity(item) >= CXDiagnostic_Error) {
      any = true;
      const size_t at = offset_of(clang_getDiagnosticLocation(item));
      diagnostics.add(kHeaderError, {source, at, at + 1}, take(clang_getDiagnosticSpelling(item)));
    }
    clang_disposeDiagnostic(item);
  }
  return any;
}

}  // namespace

std::string Function::qualified() const {
  std::string out;
  for (const std::string& space : namespaces) {
    out += space + "::";
  }
  return out + name;
}

std::string Function::declaration() const {
  std::vector<std::string> list;
  for (const Parameter& parameter : parameters) {
    std::string type = replaced(parameter.type, " *", "*");
    list.push_back(parameter.name.empty() ? type : type + " " + parameter.name);
  }
  return (is_template ? "template <class T>\n" : "") + return_type + " " + name + "(" +
         joined(list, ", ") + ");";
}

std::vector<Function> read_kernel_header(const std::string& text,
                                         const std::string& name,
                                         int source,
                                         Diagnostics& diagnostics) {
  const std::string main_file = "/shmem-bind-header/" + name.substr(name.rfind('/') + 1);
  std::vector<std::string> paths;
  for (const char* stub : kStubbed) {
    paths.push_back(std::string(kStubFolder) + "/" + stub);
  }
  const std::string stub_text(kStub);
  std::vector<CXUnsavedFile> files = {{main_file.c_str(), text.c_str(), text.size()}};
  for (const std::string& path : paths) {
    files.push_back({path.c_str(), stub_text.c_str(), stub_text.size()});
  }
  const std::string include = std::string("-I") + kStubFolder;
  const std::string first =
      std::string(kStubFolder) + "/acl/acl.h";  // kernel headers use uint32_t without <cstdint>
  const std::vector<const char*> arguments = {
      "-x", "c++", "-std=c++17", include.c_str(), "-include", first.c_str()};
  const std::unique_ptr<void, void (*)(CXIndex)> index(clang_createIndex(0, 0),
                                                       &clang_disposeIndex);
  const std::unique_ptr<CXTranslationUnitImpl, void (*)(CXTranslationUnit)> unit(
      clang_parseTranslationUnit(index.get(),
                                 main_file.c_str(),
                                 arguments.data(),
                                 static_cast<int>(arguments.size()),
                                 files.data(),
                                 static_cast<unsigned>(files.size()),
                                 CXTranslationUnit_SkipFunctionBodies),
      &clang_disposeTranslationUnit);
  if (unit == nullptr || report_errors(unit.get(), source, diagnostics)) {
    return {};
  }
  Collector collector{source, {}};
  clang_visitChildren(clang_getTranslationUnitCursor(unit.get()), &visit, &collector);
  return std::move(collector.functions);
}

}  // namespace shmem_bind::contract
