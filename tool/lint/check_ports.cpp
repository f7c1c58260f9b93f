#include <algorithm>
#include <array>
#include <map>
#include <regex>

#include "tool/lint/checks.h"
#include "tool/lint/errors.h"
#include "tool/lint/python_values.h"
#include "tool/lint/test_script.h"

// Endpoints that are the same in every run.

namespace shmem_bind::lint {
namespace {

constexpr size_t kLongestEndpoint = 300;  // std::regex recurses: longer texts are none
constexpr std::array<std::string_view, 3> kWellKnownPorts = {"27010", "8899", "8662"};

// tcp://127.0.0.1:8662; the piece :8662 of a formatted text.
bool is_fixed_endpoint(const std::string& text) {
  static const std::regex endpoint(R"(tcp://[^/\s:]*:[1-9][0-9]{1,4})");
  static const std::regex piece(R"(:[1-9][0-9]{3,4})");
  static const std::regex bare(R"((([0-9]{1,3}\.){3}[0-9]{1,3}|localhost):[1-9][0-9]{3,4})");
  return text.size() <= kLongestEndpoint &&
         (std::regex_match(text, endpoint) || std::regex_match(text, piece) ||
          std::regex_match(text, bare));
}

// IPPORT=tcp://127.0.0.1:8662, SHMEM_UID_SESSION_ID=${SHMEM_UID_SESSION_ID:-127.0.0.1:8899}, and
// the endpoint as an argument.
bool is_fixed_in_shell(const std::string& word) {
  static const std::regex setting(
      R"((IPPORT|SHMEM_UID_SESSION_ID)=(\$\{\w+:?-)?(tcp://)?[\w.-]+:[1-9][0-9]{1,4}\}?)");
  return word.starts_with("tcp://")
             ? is_fixed_endpoint(word)
             : word.size() <= kLongestEndpoint && std::regex_match(word, setting);
}

// --port with a default that is a port.
bool is_option_with_port(const PythonCall& call) {
  static const std::regex port(R"([1-9][0-9]{3,4})");
  const PythonArgument* standard = call.argument("default");
  return call.name == "add_argument" && !call.arguments.empty() && standard != nullptr &&
         call.arguments[0].text.find("port") != std::string::npos &&
         std::regex_match(standard->text.substr(0, kLongestEndpoint), port);
}

void check_script(const Script& script, Diagnostics& diagnostics) {
  const PythonFile& file = script.facts;
  for (const PythonName& text : file.strings) {
    if (is_fixed_endpoint(text.text)) {
      diagnostics.add(kFixedPort, span_of(script, text.place), text.text);
    }
  }
  for (const PythonName& number : file.numbers) {
    if (std::find(kWellKnownPorts.begin(), kWellKnownPorts.end(), number.text) !=
        kWellKnownPorts.end()) {
      diagnostics.add(kFixedPort, span_of(script, number.place), number.text);
    }
  }
  for (size_t i = 0; i < file.endpoints.size(); ++i) {
    if (PythonValues(file).has_fixed_port(file.endpoints[i])) {
      diagnostics.add(kFixedPort, span_of(script, file.endpoint_places[i]), file.endpoints[i].text);
    }
  }
  for (const PythonCall& call : file.calls) {
    if (is_option_with_port(call)) {
      diagnostics.add(kFixedPort,
                      span_of(script, call.place),
                      call.arguments[0].text + " is " + call.argument("default")->text);
    }
  }
}

// Replaces $NAME and ${NAME} at the end by the number it was set to.
std::string with_number(const std::string& word, const std::map<std::string, std::string>& set) {
  static const std::regex variable(R"(\$\{?(\w+)\}?$)");
  std::smatch found;
  if (word.size() > kLongestEndpoint || !std::regex_search(word, found, variable)) {
    return word;
  }
  const auto value = set.find(found[1]);
  return value == set.end() ? word : found.prefix().str() + value->second;
}

void check_shell(const File<ShellFile>& file, Diagnostics& diagnostics) {
  static const std::regex number(R"((\w+)=([1-9][0-9]{3,4}))");
  std::map<std::string, std::string> set;
  for (const ShellWord& word : file.facts.words) {
    std::smatch found;
    if (word.text.size() <= kLongestEndpoint && std::regex_match(word.text, found, number)) {
      set[found[1]] = found[2];
    }
    if (is_fixed_in_shell(with_number(word.text, set))) {
      diagnostics.add(kFixedPort, file.span(word.begin, word.end), word.text);
    }
  }
}

bool is_port_number(const CppToken& token) {
  static const std::regex port(R"("?[1-9][0-9]{3,4}"?)");
  return token.is_literal && token.text.size() <= 7 && std::regex_match(token.text, port);
}

// "tcp://127.0.0.1:%d", 29500; "tcp://127.0.0.1:" + std::to_string(29500)
bool is_made_of_a_number(const CppFile& file, size_t at) {
  static const std::regex open(R"("tcp://[^/\s:]*:(%\w+|\{\})?")");
  const std::string& text = file.text(at);
  if (text.size() > kLongestEndpoint || !std::regex_match(text, open)) {
    return false;
  }
  for (++at; at < file.tokens.size() && !file.is(at, ";"); ++at) {
    if (is_port_number(file.tokens[at])) {
      return true;
    }
  }
  return false;
}

void check_cpp(const File<CppFile>& file, Diagnostics& diagnostics) {
  for (size_t at = 0; at < file.facts.tokens.size(); ++at) {
    const CppToken& token = file.facts.tokens[at];
    const bool is_text = token.is_literal && token.text.size() > 2 && token.text.front() == '"';
    if (is_text && (is_fixed_endpoint(token.text.substr(1, token.text.size() - 2)) ||
                    is_made_of_a_number(file.facts, at))) {
      diagnostics.add(kFixedPort, file.span(token.begin, token.end), token.text);
    }
  }
}

}  // namespace

void check_port(const Tree& tree, Diagnostics& diagnostics) {
  for (const Script* script : programs_of(tree, shmem_scripts(tree))) {
    check_script(*script, diagnostics);
  }
  for (const File<ShellFile>& file : tree.shell) {
    check_shell(file, diagnostics);
  }
  for (const File<CppFile>& file : tree.cpp) {
    check_cpp(file, diagnostics);
  }
}

}  // namespace shmem_bind::lint
