#include "tool/lint/python_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace shmem_bind::lint {
namespace {

using Json = nlohmann::json;

PythonPlace place_in(const Json& json) {
  return {json.at(0).get<size_t>(), json.at(1).get<size_t>()};
}

std::vector<PythonName> names_in(const Json& list) {
  std::vector<PythonName> names;
  for (const Json& item : list) {
    names.push_back({item.at(0), item.at(1), place_in(item.at(2))});
  }
  return names;
}

PythonCall call_in(const Json& item) {
  PythonCall call{item.at(0), item.at(1), item.at(2), place_in(item.at(3)), {}};
  for (const Json& argument : item.at(4)) {
    call.arguments.push_back({argument.at(0), argument.at(1), argument.at(2)});
  }
  return call;
}

PythonFile file_in(const Json& json) {
  PythonFile file;
  if (const auto mistake = json.find("mistake"); mistake != json.end()) {
    file.mistake = mistake->at(0).get<std::string>();
    file.mistake_at = {mistake->at(1), mistake->at(2)};
    return file;
  }
  for (const Json& item : json.at("calls")) {
    file.calls.push_back(call_in(item));
  }
  for (const Json& item : json.at("functions")) {
    file.functions.push_back({item.at(0), place_in(item.at(1)), item.at(2)});
  }
  file.set_in_module = names_in(json.at("module"));
  file.set_under_main = names_in(json.at("main"));
  file.strings = names_in(json.at("strings"));
  file.numbers = names_in(json.at("numbers"));
  file.attributes = names_in(json.at("attributes"));
  file.imports = json.at("imports").get<std::vector<std::string>>();
  return file;
}

}  // namespace

const PythonArgument* PythonCall::argument(std::string_view keyword) const {
  const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const auto& argument) {
    return argument.keyword == keyword;
  });
  return found == arguments.end() ? nullptr : &*found;
}

const PythonFunction* PythonFile::function(std::string_view name) const {
  const auto found = std::find_if(
      functions.begin(), functions.end(), [&](const auto& item) { return item.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

bool PythonFile::has_attribute(std::string_view name) const {
  return std::any_of(attributes.begin(), attributes.end(), [&](const PythonName& attribute) {
    return attribute.text == name;
  });
}

Result<std::vector<PythonFile>> read_python_facts(const std::string& output) {
  try {
    std::vector<PythonFile> files;
    for (const Json& item : Json::parse(output)) {
      files.push_back(file_in(item));
    }
    return files;
  } catch (const Json::exception& error) {
    return Failure{std::string("Python's answer is not what was asked for: ") + error.what()};
  }
}

}  // namespace shmem_bind::lint
