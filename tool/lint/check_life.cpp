#include <algorithm>
#include <set>

#include "tool/lint/binding_class.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

// Streams, destructors and statuses of a binding.

namespace shmem_bind::lint {
namespace {

bool is_collective(const std::string& name) {
  const bool is_shmem = name.starts_with("aclshmem_") || name.starts_with("aclshmemx_");
  const std::string verb = is_shmem ? name.substr(name.find('_') + 1) : "";
  return is_shmem &&
         (verb.starts_with("barrier") || verb.starts_with("sync") || verb.starts_with("free") ||
          verb.starts_with("malloc") || verb.starts_with("calloc") || verb.starts_with("align") ||
          verb.starts_with("finalize") || verb.starts_with("init"));
}

// The collective call that `body` reaches through functions of its class and file; empty: none.
std::string collective_in(const File<CppFile>& file,
                          const std::string& owner,
                          CppRange body,
                          std::set<std::string>& seen) {
  for (const CppCall& call : file.facts.calls(body)) {
    if (is_collective(call.name)) {
      return call.name;
    }
    for (const CppFunction& function : file.facts.functions) {
      const bool is_own = function.owner == owner || function.owner.empty();
      const bool is_other_object = file.facts.is(call.name_at - 1, ".");
      if (is_own && !is_other_object && function.name == call.name && !function.is_destructor &&
          seen.insert(function.name).second) {
        if (std::string name = collective_in(file, owner, function.body, seen); !name.empty()) {
          return function.name + "() calls " + name;
        }
      }
    }
  }
  return "";
}

}  // namespace

namespace {

// stream(false), stream(0), stream(kNo) where kNo is one of these, getCurrentNPUStreamNoWait().
bool skips_queue(const CppFile& file, const CppCall& call) {
  if (call.name == "getCurrentNPUStreamNoWait") {
    return true;
  }
  if (call.name != "stream" || call.arguments.size() != 1) {
    return false;
  }
  const std::string& given = file.text(call.open + 1);
  bool is_false = given == "false" || given == "0";
  for (size_t at = 0; at + 2 < file.tokens.size() && !is_false; ++at) {
    is_false = file.is(at, given) && (file.is(at + 1, "=") || file.is(at + 1, "{")) &&
               file.is(at + 2, "false");
  }
  return is_false;
}

}  // namespace

void check_stream(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppFunction& function : file.facts.functions) {
      bool is_queued = false;
      for (const char* name : {"RunOpApi", "RunOpApiV2", "SetCustomHandler"}) {
        is_queued = is_queued || file.facts.mentions(function.body, name);
      }
      for (const CppCall& call : file.facts.calls(function.body)) {
        if (skips_queue(file.facts, call) && !is_queued) {
          diagnostics.add(kOvertakes,
                          token_span(file, call.name_at),
                          "what is launched on it may overtake torch's operators");
        }
      }
    }
  }
}

namespace {

// The collective call in a lambda or a name among the arguments: a deleter runs when Python drops
// the object.
std::string collective_deleter(const CppFile& file, const CppCall& call) {
  if (!is_one_of(call.name, {"shared_ptr", "unique_ptr", "reset", "from_blob"})) {
    return "";
  }
  for (size_t i = 1; i < call.arguments.size(); ++i) {
    for (size_t at = call.arguments[i].begin; at < call.arguments[i].end; ++at) {
      if (file.tokens[at].is_name && is_collective(file.text(at))) {
        return file.text(at);
      }
    }
  }
  return "";
}

// A member `std::shared_ptr<void> owner_{nullptr, deleter}` is no call: its braces are its
// arguments.
std::vector<CppCall> owners_in(const CppFile& file) {
  std::vector<CppCall> found = file.calls({0, file.tokens.size()});
  for (size_t at = 0; at + 1 < file.tokens.size(); ++at) {
    if (!is_one_of(file.text(at), {"shared_ptr", "unique_ptr"}) || !file.is(at + 1, "<")) {
      continue;
    }
    size_t open = at;
    while (open < file.tokens.size() && !file.is(open, "{") && !file.is(open, "(") &&
           !file.is(open, ";")) {
      ++open;
    }
    if (file.is(open, "{") || file.is(open, "(")) {
      const size_t close = file.closing(open);
      size_t first = open + 1;
      while (first < close && !file.is(first, ",")) {
        ++first;
      }
      found.push_back({file.text(at), at, open, close, {{open + 1, first}, {first, close}}});
    }
  }
  return found;
}

// struct Free { void operator()(void* p) { aclshmem_free(p); } }, named in a unique_ptr<…>.
void check_deleters(const File<CppFile>& file, Diagnostics& diagnostics) {
  std::set<size_t> told;
  for (const CppCall& call : owners_in(file.facts)) {
    const std::string name = collective_deleter(file.facts, call);
    if (!name.empty() && told.insert(call.name_at).second) {
      diagnostics.add(kCollectiveDestructor,
                      token_span(file, call.name_at),
                      "the deleter given to " + call.name + " calls " + name);
    }
  }
  for (const CppFunction& function : file.facts.functions) {
    std::set<std::string> seen;
    const std::string name =
        function.name == "operator" && !function.owner.empty()
            ? collective_in(file, function.owner, {function.body.begin, function.body.end}, seen)
            : "";
    if (!name.empty()) {
      diagnostics.add(kCollectiveDestructor,
                      token_span(file, function.name_at),
                      function.owner + " as a deleter calls " + name);
    }
  }
}

}  // namespace

void check_destructor(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppFunction& function : file.facts.functions) {
      if (!function.is_destructor) {
        continue;
      }
      std::set<std::string> seen;
      if (const std::string name = collective_in(file, function.owner, function.body, seen);
          !name.empty()) {
        diagnostics.add(kCollectiveDestructor,
                        token_span(file, function.name_at),
                        "~" + function.name + "(): " + name);
      }
    }
    check_deleters(file, diagnostics);
  }
}

}  // namespace shmem_bind::lint
