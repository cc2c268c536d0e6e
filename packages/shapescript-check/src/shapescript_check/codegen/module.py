"""Generates a whole module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from shapescript_check.codegen import dispatch
from shapescript_check.codegen.context import ModuleContext
from shapescript_check.codegen.functions import FunctionWriter
from shapescript_check.codegen.names import USED, module_name, python_name
from shapescript_check.codegen.options import Options
from shapescript_check.codegen.positions import Place, Positions, put
from shapescript_check.codegen.records import record_classes
from shapescript_check.declarations.devices import devices_text
from shapescript_check.declarations.interfaces import DimInterface, FnInterface
from shapescript_check.operations.lowering import constant, python
from shapescript_check.program import Program
from shapescript_syntax import tree

_START = (1, 0, 1, 0)


def generate(program: Program, options: Options | None = None) -> ast.Module:
    """The Python of a checked program, whose nodes are placed in its source.

    Raises ValueError for a program with errors.
    """
    if program.has_errors:
        raise ValueError(f"{program.source.path} has errors, so no code can be generated from it")
    module = ModuleContext(program, options or Options())
    functions: list[ast.stmt] = []
    for name, checked in program.bodies.items():
        interface = program.lookup(name)
        assert isinstance(interface, FnInterface)
        writer = FunctionWriter(module, program.scope.functions[name], interface, checked.body)
        functions += writer.write()
    functions += dispatch.instances(module)
    classes = record_classes(module)
    body = [*_imports(module, functions), *_devices(module), *_dims(module), *classes, *functions]
    body += dispatch.by_model(module)
    body = _free_names(program, body)
    for statement in body:
        put(statement, _START)
    return ast.Module(body, [])


def _imports(module: ModuleContext, functions: list[ast.stmt]) -> list[ast.stmt]:
    names: list[tuple[str, str | None]] = []
    if any(isinstance(n, ast.Name) and n.id == "math" for f in functions for n in ast.walk(f)):
        names.append(("math", None))
    names += [("torch", None), ("shapescript_runtime", "_ss_rt")]
    statements: list[ast.stmt] = [ast.Import([ast.alias(n, a)]) for n, a in names]
    for path, alias in module.imports.items():
        statements.append(_placed(ast.Import([ast.alias(path, alias)]), _extern_place(module, path)))
    for declared in module.program.scope.declared.values():
        if isinstance(declared.item, tree.ImportPython):
            statements += _python_import(module, declared.item.parts[0].text)
    return [*statements, *_files(module)]


def _items(module: ModuleContext) -> Iterator[tuple[object, Place]]:
    """The declarations of the file, each with where it is: what fails when the module is imported is shown there."""
    for placed in module.program.file.placed:
        positions = Positions(module.program.source, placed.start)
        for item in placed.chunk.items:
            yield item, positions.place(item.span)


def _placed(statement: ast.stmt, place: Place) -> ast.stmt:
    put(statement, place)
    return statement


def _extern_place(module: ModuleContext, path: str) -> Place:
    """The first extern function of the file that is in a Python module."""
    for item, place in _items(module):
        if isinstance(item, tree.ExternFn) and item.path.value.rpartition(".")[0] == path:
            return place
    return _START


def _files(module: ModuleContext) -> list[ast.stmt]:
    """The modules of the .ss files that this one imports, which Python sees under the imports' names too."""
    statements: list[ast.stmt] = []
    imports = module.program.imports
    places = {
        (item.alias or item.parts[-1]).text: place
        for item, place in _items(module)
        if isinstance(item, tree.Import)
    }
    for file in imports.files:
        name = module_name(imports.prefixes[file.found.identity])
        if file.alias == imports.prefixes[file.found.identity]:
            loaded = python("_ss_rt.import_ss(__name__, __file__, m)", m=file.module)
            statement = ast.Assign([ast.Name(name, ast.Store())], loaded)
            statements.append(_placed(statement, places[file.alias]))
    for file in imports.files:
        value = ast.Name(module_name(imports.prefixes[file.found.identity]), ast.Load())
        statements.append(ast.Assign([ast.Name(python_name(file.alias), ast.Store())], value))
    return statements


def _python_import(module: ModuleContext, name: str) -> list[ast.stmt]:
    from shapescript_check.declarations.interfaces import PythonModule

    found = module.program.scope.simple[name]
    assert isinstance(found, PythonModule)
    places = {
        ".".join(part.text for part in item.parts): place
        for item, place in _items(module)
        if isinstance(item, tree.ImportPython)
    }
    statements = [
        _placed(ast.Import([ast.alias(m, None)]), places.get(m, _START)) for m in dict.fromkeys(found.modules)
    ]
    bound = python_name(name)
    if bound != name:
        statements.append(ast.Assign([ast.Name(bound, ast.Store())], ast.Name(name, ast.Load())))
    return statements


def _devices(module: ModuleContext) -> list[ast.stmt]:
    path = module.program.source.path
    declared = module.program.scope.devices
    if declared is not None:
        for item, place in _items(module):
            if item is declared:
                return [_placed(_declaration(devices_text(declared), f"{path}:{place[0]}"), place)]
    if module.options.devices is not None:
        return [_declaration(module.options.devices, f"{path} (--devices)")]
    return []


def _declaration(text: str, where: str) -> ast.stmt:
    return ast.Assign([ast.Name("_ss_device", ast.Store())], python("_ss_rt.declare(t, w)", t=text, w=where))


def _dims(module: ModuleContext) -> list[ast.stmt]:
    dims = [i for i in module.program.interfaces.values() if isinstance(i, DimInterface)]
    statements: list[ast.stmt] = []
    for dim in dims:
        name = ast.Name(python_name(dim.name), ast.Store())
        statement = ast.Assign([name], ast.Constant(dim.value))
        declared = module.program.scope.declared[dim.name]
        assert isinstance(declared.item, tree.Dim)
        line = module.program.source.position(declared.start + declared.item.span.start).line
        put(statement, (line, 0, line, 0))
        statements.append(statement)
    if module.dims_named:
        pairs: list[ast.expr] = [
            ast.Tuple([ast.Constant(d.name), ast.Name(python_name(d.name), ast.Load())], ast.Load())
            for d in dims
        ]
        statements.append(ast.Assign([ast.Name("_ss_dims", ast.Store())], ast.Tuple(pairs, ast.Load())))
    return statements


# --- names that Python or generated code uses ---


class _Aliased(ast.NodeTransformer):
    """Renames generated code's own use of names that the program declares, such as `range`."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self.names:
            node.id = f"_ss_{node.id}"
        return node


def _free_names(program: Program, body: list[ast.stmt]) -> list[ast.stmt]:
    """Publishes declarations whose names Python keeps for itself, and keeps them apart from generated code's."""
    taken = {n for n in program.scope.declared if python_name(n) != n}
    taken -= {n for n, d in program.scope.declared.items() if isinstance(d.item, tree.ImportPython)}
    clashes = taken & USED
    if clashes:
        body = [_Aliased(clashes).visit(s) for s in body]
        first = max(i for i, s in enumerate(body) if isinstance(s, ast.Import)) + 1
        kept = [
            ast.Assign([ast.Name(f"_ss_{n}", ast.Store())], ast.Name(n, ast.Load())) for n in sorted(clashes)
        ]
        body = [*body[:first], *kept, *body[first:]]
    for name in sorted(taken):
        declared = program.interfaces.get(name)
        if isinstance(declared, DimInterface | FnInterface):
            value = ast.Name(python_name(name), ast.Load())
            body.append(ast.Assign([_published(name, clashes)], value))
    return body


def _published(name: str, clashes: set[str]) -> ast.expr:
    accessor = "_ss_globals()[k]" if "globals" in clashes else "globals()[k]"
    target = python(accessor, k=constant(name))
    assert isinstance(target, ast.Subscript)
    target.ctx = ast.Store()
    return target
