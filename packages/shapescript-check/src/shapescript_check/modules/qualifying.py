"""Trees with the names of other files in one piece, so that what follows need not know about files.

`attention.Mlp` is an attribute, or a word of a type with a qualifier, as it is parsed. Here it becomes one name with a
dot in it. And the tree of a generic function is copied for the types of a call: its type variables become their names,
and what its own file declares gets that file's name in front.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shapescript_syntax import tree
from shapescript_syntax.records import fields_of, replaced
from shapescript_syntax.spans import Span

Rename = Callable[[str], str]
Dotted = Callable[[str, tree.Name], "str | None"]
"""The name of what a file, by the name that it is imported under, declares; None for a name that binds no file."""


class Qualifier:
    """Rewrites trees.

    Attributes:
        dotted: gives the one name for a file's name and a declaration's.
        plain: gives the name for a name without a dot that isn't a value of the function.
        called: the same for a function's name that nothing may declare.
    """

    def __init__(self, dotted: Dotted, plain: Rename | None = None, called: Rename | None = None) -> None:
        self.dotted = dotted
        self.plain = plain
        self.called = called
        self._item: tree.Fn | None = None
        self._bound: frozenset[str] | None = None
        self._in_shape = False

    def item(self, item: Any) -> Any:
        """A declaration, or the same object if there is nothing to rewrite in it."""
        self._item = item if isinstance(item, tree.Fn) else None
        self._bound = None
        return self._node(item)

    def shape(self, shape: tree.ShapeExpr) -> Any:
        """A shape alone, such as an alias's."""
        self._item = self._bound = None
        return self._node(shape)

    @property
    def _hidden(self) -> frozenset[str]:
        """The names of values in the function that is rewritten."""
        if self._bound is None:
            self._bound = bound_names(self._item) if self._item is not None else frozenset()
        return self._bound

    def _node(self, node: Any) -> Any:
        if type(node) is tuple:
            items = tuple(self._node(n) for n in node)
            return node if all(a is b for a, b in zip(items, node, strict=True)) else items
        kind = type(node)
        if kind is tree.Attribute:
            return self._attribute(node)
        if kind is tree.TypeWord:
            return self._word(node)
        if (kind is tree.ShapeExpr or kind is tree.Side) and not self._in_shape:
            self._in_shape = True
            shape = self._fields(node)
            self._in_shape = False
            return shape
        if self.plain is not None:
            if kind is tree.Ident:
                name = self._name(node.name)
                return node if name == node.name else tree.Ident(node.span, name)
            if kind is tree.GroupedSize:
                return tree.GroupedSize(node.span, node.number, self._renamed(node.name))
            if kind is tree.Call:
                return self._call(node)
        return self._fields(node)

    def _fields(self, node: Any) -> Any:
        names = fields_of(node)
        if names is None:
            return node
        changes = {}
        for name in names:
            before = getattr(node, name)
            if before is None or type(before) in _LEAVES:
                continue
            after = self._node(before)
            if after is not before:
                changes[name] = after
        return replaced(node, **changes) if changes else node

    def _attribute(self, node: tree.Attribute) -> Any:
        owner = node.value
        # What stands in front of a dot in a shape is a file, whatever values have its name.
        if isinstance(owner, tree.Ident) and (self._in_shape or owner.name not in self._hidden):
            name = self.dotted(owner.name, node.name)
            if name is not None:
                return tree.Ident(node.span, name)
        return self._fields(node)

    def _word(self, word: tree.TypeWord) -> tree.TypeWord:
        name = None
        if word.qualifier is not None:
            name = self.dotted(word.qualifier.text, word.name)
        elif self.plain is not None:
            renamed = self._name(word.name.text)
            name = renamed if renamed != word.name.text else None
        argument = self._node(word.argument) if word.argument is not None else None
        over = self._renamed(word.over) if word.over is not None and self.plain is not None else word.over
        if name is None:
            if argument is word.argument and over is word.over:
                return word
            return tree.TypeWord(word.span, word.qualifier, word.name, argument, over)
        span = (
            word.name.span if word.qualifier is None else Span(word.qualifier.span.start, word.name.span.end)
        )
        return tree.TypeWord(word.span, None, tree.Name(span, name), argument, over)

    def _call(self, node: tree.Call) -> tree.Call:
        callee = node.callee
        arguments = self._node(node.arguments)
        if isinstance(callee, tree.Ident) and self.called is not None and callee.name not in self._hidden:
            if _takes_function(callee.name) and arguments and isinstance(arguments[0].value, tree.Ident):
                first = node.arguments[0].value
                if isinstance(first, tree.Ident) and first.name not in self._hidden:
                    named = tree.Ident(first.span, self.called(first.name))
                    arguments = (replaced(arguments[0], value=named), *arguments[1:])
            return tree.Call(node.span, tree.Ident(callee.span, self.called(callee.name)), arguments)
        return tree.Call(node.span, self._node(callee), arguments)

    def _renamed(self, name: tree.Name) -> tree.Name:
        return tree.Name(name.span, self._name(name.text))

    def _name(self, name: str) -> str:
        assert self.plain is not None
        return name if name in self._hidden else self.plain(name)


_LEAVES = frozenset({str, int, float, bool, Span, tree.Name})


def bound_names(item: tree.Fn) -> frozenset[str]:
    """The names that a function gives to values: parameters, results of statements, loops and lambdas."""
    names = {p.name.text for p in item.parameters}
    stack: list[Any] = [item.body]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is tuple:
            stack += node
            continue
        if kind in _LEAVES or kind is tree.TypeExpr or kind is tree.ShapeExpr:
            continue
        if kind is tree.Bind:
            names.update(n.text for n in node.names)
        elif kind is tree.For:
            names.add(node.variable.text)
        elif kind is tree.Lambda:
            names.update(p.text for p in node.parameters if isinstance(p, tree.Name))
        stack += [getattr(node, name) for name in fields_of(node) or ()]
    return frozenset(names)


def _takes_function(name: str) -> bool:
    """Whether a built-in operation takes a function of the program first."""
    from shapescript_check import operations
    from shapescript_check.operations.parameters import Kind

    operation = operations.lookup(name)
    listed = operation.parameter_list if operation is not None else ()
    return bool(listed) and listed[0].kind is Kind.FUNCTION
