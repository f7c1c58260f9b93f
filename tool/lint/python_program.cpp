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
    facts = {key: [] for key in ("calls", "functions", "module", "main", "strings", "numbers", "attributes", "imports",
                                 "values", "endpoints", "globals", "looked_at")}
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    def place(node):
        begin = at(node.lineno, node.col_offset)
        end = at(node.end_lineno, node.end_col_offset) if getattr(node, "end_lineno", None) else begin + 1
        return [begin, end]
    def names_in(node):
        return sorted({part.id for part in ast.walk(node) if isinstance(part, ast.Name)})
    def text_of(node):
        return ast.unparse(node) if hasattr(ast, "unparse") else ast.dump(node)
    def word_of(name):
        return name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
    def around(node, kinds):
        node = parents.get(node)
        while node is not None and not isinstance(node, kinds):
            node = parents.get(node)
        return node
    talks = {"print", "log", "debug", "info", "warning", "warn", "write"}
    passes_on = {"bool", "str", "int", "repr", "all", "any", "item", "format", "sum", "sorted", "list"}
    def only_talks(body):
        return all(isinstance(line, (ast.Pass, ast.Continue)) or isinstance(line, ast.Expr) and isinstance(line.value, ast.Call)
                   and word_of(line.value.func) in talks for line in body)
    def reads_of(name, scope):
        return [part for part in ast.walk(scope) if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)]
    def is_dropped(node, depth=0):
        """Nothing depends on the value but what is printed."""
        child, node = node, parents[node]
        while isinstance(node, ast.expr) or isinstance(node, (ast.keyword, ast.FormattedValue)):
            if isinstance(node, ast.Call) and child is not node.func and word_of(node.func) not in passes_on:
                return word_of(node.func) in talks
            if isinstance(node, (ast.Lambda, ast.Await, ast.Yield)):
                return False
            child, node = node, parents[node]
        if isinstance(node, ast.Expr):
            return True
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and depth < 3:
            scope = around(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module))
            name = node.targets[0].id
            if any(name in part.names for part in ast.walk(scope) if isinstance(part, (ast.Global, ast.Nonlocal))):
                return False
            return all(is_dropped(part, depth + 1) for part in reads_of(name, scope))
        return isinstance(node, ast.If) and child is node.test and only_talks(node.body + node.orelse)
    def endpoint_around(node):
        """The whole expression that a piece tcp:// stands in."""
        while True:
            above = parents[node]
            is_part = isinstance(above, (ast.BinOp, ast.JoinedStr, ast.FormattedValue)) or (
                isinstance(above, ast.Attribute) and above.attr in ("format", "join")) or (
                isinstance(above, ast.Call) and above.func is node and isinstance(node, ast.Attribute))
            if not is_part:
                return node
            node = above
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
        word = word_of(name)
        if word in ("all", "any") and isinstance(name, ast.Attribute) and isinstance(name.value, ast.Compare):
            word = "=="
        owner = text_of(name.value) if isinstance(name, ast.Attribute) else ""
        arguments = [["", text_of(value), names_in(value)] for value in node.args]
        arguments += [[item.arg or "**", text_of(item.value), names_in(item.value)] for item in node.keywords]
        facts["calls"].append([word, function, statement, place(node), arguments, owner, is_dropped(node)])
    def parameters_of(node):
        args = node.args
        every = [*getattr(args, "posonlyargs", []), *args.args]
        rest = [None] * (len(every) - len(args.defaults))
        pairs = [*zip(every, [*rest, *args.defaults]), *zip(args.kwonlyargs, args.kw_defaults)]
        return [[arg.arg, value is not None, text_of(value) if value else "", names_in(value) if value else []] for arg, value in pairs
                if arg.arg not in ("self", "cls")]
    def add_name(node, function):
        if isinstance(node.ctx, ast.Store):
            above = parents[node]
            value = above.value if isinstance(above, (ast.Assign, ast.AnnAssign)) and node in getattr(above, "targets", [node]) else None
            facts["values"].append([node.id, function, value is not None, text_of(value) if value else "", names_in(value) if value else []])
    def visit(node, function, statement):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - own_names(node)
            facts["functions"].append([node.name, place(node), sorted(used), parameters_of(node)])
            function = node.name
            declared = {name for part in ast.walk(node) if isinstance(part, ast.Global) for name in part.names}
            facts["globals"] += [[part.id, function, place(part)] for part in stored(node) if part.id in declared]
        elif isinstance(node, ast.Call):
            add_call(node, function, statement)
        elif isinstance(node, ast.Compare) and any(isinstance(part, ast.Call) and word_of(part.func) in ("abs", "norm", "max")
                                                   for part in ast.walk(node.left)):
            facts["calls"].append(["==", function, statement, place(node), [], "", is_dropped(node)])
        elif isinstance(node, ast.Constant) and node not in documentation and hasattr(node, "lineno"):
            if isinstance(node.value, str):
                whole = endpoint_around(node)
                facts["strings"].append([node.value, function, place(node)])
                if "tcp://" in node.value and whole is not node:
                    facts["endpoints"].append([text_of(whole), function, place(whole), names_in(whole)])
            elif type(node.value) is int:
                facts["numbers"].append([str(node.value), function, place(node)])
        elif isinstance(node, ast.Attribute):
            facts["attributes"].append([node.attr, function, place(node)])
            above = parents[node]
            if not is_dropped(above if isinstance(above, ast.Call) and above.func is node else node):
                facts["looked_at"].append([node.attr, function, place(node)])
        elif isinstance(node, ast.Name):
            add_name(node, function)
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
