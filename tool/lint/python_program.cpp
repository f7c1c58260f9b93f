#include "tool/lint/python_file.h"

namespace shmem_bind::lint {
namespace {

// Places are bytes: ast counts columns in UTF-8. An old Python may not know an end: then it is the
// begin.
constexpr const char* kProgram = R"~(import ast, json, sys

def facts_of(path):
    with open(path, "rb") as file:
        source = file.read()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    mark = 3 if source.startswith(b"\xef\xbb\xbf") else 0
    def at(line, column):
        return min(starts[min(line - 1, len(starts) - 1)] + column + (mark if line == 1 else 0), len(source))
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError) as error:
        line, column = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 1
        begin = at(line, column - 1)
        return {"mistake": [getattr(error, "msg", None) or str(error), begin, begin + 1]}
    facts = {key: [] for key in ("calls", "functions", "module", "main", "strings", "numbers", "attributes", "imports")}
    def place(node):
        begin = at(node.lineno, node.col_offset)
        end = at(node.end_lineno, node.end_col_offset) if getattr(node, "end_lineno", None) else begin + 1
        return [begin, end]
    def names_in(node):
        return sorted({part.id for part in ast.walk(node) if isinstance(part, ast.Name)})
    def text_of(node):
        return ast.unparse(node) if hasattr(ast, "unparse") else ast.dump(node)
    documentation = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            documentation.add(body[0].value)
    def stored(node):
        return [part for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    def own_names(function):
        args = function.args
        every = [*getattr(args, "posonlyargs", []), *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
        names = {arg.arg for arg in every if arg} | {part.id for part in stored(function)}
        for part in ast.walk(function):
            if isinstance(part, ast.Global):
                names -= set(part.names)
        return names
    def is_main(node):
        return isinstance(node, ast.If) and "__name__" in names_in(node.test)
    def add_call(node, function, statement):
        name = node.func
        word = name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
        arguments = [["", text_of(value), names_in(value)] for value in node.args]
        arguments += [[item.arg or "**", text_of(item.value), names_in(item.value)] for item in node.keywords]
        facts["calls"].append([word, function, statement, place(node), arguments])
    def visit(node, function, statement):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - own_names(node)
            facts["functions"].append([node.name, place(node), sorted(used)])
            function = node.name
        elif isinstance(node, ast.Call):
            add_call(node, function, statement)
        elif isinstance(node, ast.Constant) and node not in documentation and hasattr(node, "lineno"):
            if isinstance(node.value, str):
                facts["strings"].append([node.value, function, place(node)])
            elif type(node.value) is int:
                facts["numbers"].append([str(node.value), function, place(node)])
        elif isinstance(node, ast.Attribute):
            facts["attributes"].append([node.attr, function, place(node)])
        elif isinstance(node, ast.Name):
            facts["attributes"].append([node.id, function, place(node)])
        elif isinstance(node, ast.Import):
            facts["imports"] += [item.name for item in node.names]
        elif isinstance(node, ast.ImportFrom):
            facts["imports"].append(node.module or "")
            for item in node.names:
                facts["attributes"].append([item.name, function, place(node)])
        elif is_main(node) and not function:
            function = "__main__"
        for child in ast.iter_child_nodes(node):
            visit(child, function, isinstance(node, ast.Expr))
    visit(tree, "", False)
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            facts["module"] += [[part.id, "", place(part)] for part in stored(node)]
        elif is_main(node):
            facts["main"] += [[part.id, "", place(part)] for part in stored(node)]
    return facts

print(json.dumps([facts_of(path) for path in sys.argv[1:]]))
)~";

}  // namespace

const char* python_program() {
  return kProgram;
}

}  // namespace shmem_bind::lint
