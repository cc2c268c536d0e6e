"""The words of a type after its shape: a domain and a dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.declarations.entity_types import ALONE
from shapescript_check.declarations.interfaces import Broken, DimInterface, DomainInterface, what_it_is
from shapescript_check.types.axes import Axes, named, position
from shapescript_check.types.domains import (
    BUILTIN_DOMAINS,
    DISCRETE,
    MASK,
    RANGES,
    REAL,
    SEMANTIC,
    Domain,
    IndexOf,
    Range,
    Semantic,
    default_dtype,
)
from shapescript_check.types.dtypes import DTYPES, DType
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.suggestions import closest

if TYPE_CHECKING:
    from shapescript_check.declarations.types import TypeResolver

Element = tuple[Domain, "DType | None", bool]
"""A domain, a dtype, and whether the dtype was written."""


DTYPE_WORDS = {
    **dict.fromkeys(("float", "float32", "single"), "f32"),
    **dict.fromkeys(("double", "float64"), "f64"),
    **dict.fromkeys(("half", "float16"), "f16"),
    "bfloat16": "bf16",
    **dict.fromkeys(("int", "int64", "long"), "i64"),
    "int32": "i32",
    **dict.fromkeys(("int16", "short"), "i16"),
    "int8": "i8",
    **dict.fromkeys(("uint8", "byte"), "u8"),
    "boolean": "bool",
}
"""What PyTorch calls dtypes, in lower case."""

_DOMAIN_WORDS = {
    "positive": "Pos",
    **dict.fromkeys(("nonnegative", "non_negative"), "NonNeg"),
    **dict.fromkeys(("probability", "probabilities", "distribution"), "Prob over an axis"),
    **dict.fromkeys(("logits", "score", "scores"), "Logit over an axis"),
    **dict.fromkeys(("indices", "ids", "label", "labels"), "Index[V] for an axis of size V"),
}
"""What domains may be called elsewhere, in lower case."""


def element_of(
    resolver: TypeResolver, words: list[tree.TypeWord], axes: Axes | None, has_shape: bool
) -> Element | None:
    """The element type that the words say; None once something is reported."""
    dtype: DType | None = None
    domain: Domain | None = None
    written = False
    if words and _is_dtype(words[-1]):
        dtype = DTYPES[words[-1].name.text]
        written = True
        words = words[:-1]
    if len(words) > 1:
        _two_words(resolver, words, written)
        return None
    if words:
        domain = domain_of(resolver, words[0], axes)
        if domain is None:
            return None
    if domain is None:
        domain = MASK if dtype is DType.BOOL else REAL
    if dtype is not None and not go_together(domain, dtype):
        resolver.report(
            "E0503",
            words[0].span,
            f"`{words[0].name.text}` values can't be stored as {dtype}",
            help=f"leave the dtype out: the default is {default_dtype(domain)}",
        )
        return None
    return domain, dtype or default_dtype(domain), written


def _is_dtype(word: tree.TypeWord) -> bool:
    return word.name.text in DTYPES and word.qualifier is None and word.argument is None and word.over is None


def _two_words(resolver: TypeResolver, words: list[tree.TypeWord], has_dtype: bool) -> None:
    """Reports two words where a type has one domain."""
    first, second = words[:2]
    name = second.name.text
    if _is_dtype(first) and has_dtype:
        resolver.report("E0503", first.span, "a type has one dtype, and this would be a second")
    elif _is_dtype(first):
        resolver.report(
            "E0503",
            first.span,
            "a type's dtype comes after its domain",
            help=f"write {name} {first.name.text}",
        )
    elif _means_something(resolver, second):
        resolver.report("E0503", second.span, f"a type has one domain, and `{name}` would be a second")
    else:
        _unknown(resolver, second, tuple(DTYPES), "dtype")


def _means_something(resolver: TypeResolver, word: tree.TypeWord) -> bool:
    name = word.name.text
    return (
        name in (*BUILTIN_DOMAINS, *DTYPES)
        or resolver.scope.interface(name) is not None
        or resolver.scope.local_size(name) is not None
        or resolver.scope.is_value(name)
    )


def _unknown(resolver: TypeResolver, word: tree.TypeWord, candidates: tuple[str, ...], what: str) -> None:
    name = word.name.text
    meant = DTYPE_WORDS.get(name.lower()) or (_DOMAIN_WORDS.get(name.lower()) if what != "dtype" else None)
    near = closest(name, candidates) if meant is None else None
    resolver.report(
        "E0301",
        word.name.span,
        f"no {what} is named `{name}`",
        help=f"write {meant}" if meant else f"did you mean `{near}`?" if near else shape_help(name),
    )


def domain_of(resolver: TypeResolver, word: tree.TypeWord, axes: Axes | None) -> Domain | None:
    """The domain that a word names."""
    name = word.name.text
    if word.over is not None and not word.over.text:
        return None  # the name is missing, which has been said
    if name in SEMANTIC:
        return _semantic(resolver, word, axes)
    if not _is_known(resolver, name):
        return _declared(resolver, word, axes)
    if word.over is not None:
        resolver.report(
            "E0503", word.over.span, f"`{name}` doesn't take `over`: only Logit, Prob and LogProb do"
        )
        return None
    if name == "Index":
        if word.argument is None:
            resolver.report(
                "E0503",
                word.span,
                "`Index` needs the size that its values stay below",
                help="write Index[V] for an axis of size V",
            )
            return None
        size = resolver.size(word.argument)
        return IndexOf(size) if size is not None else None
    if word.argument is not None:
        resolver.report(
            "E0503",
            word.span,
            f"`{name}` doesn't take a size in brackets: only Index does",
            help="a type's shape comes first, as in [n] f32" if axes is None else None,
        )
        return None
    if name in RANGES:
        return Range(RANGES[name].interval, name)
    if name in DISCRETE:
        return DISCRETE[name]
    return _declared(resolver, word, axes)


def _is_known(resolver: TypeResolver, name: str) -> bool:
    """Whether what is wrong with a word may be what stands behind its name."""
    built_in = name == "Index" or name in RANGES or name in DISCRETE or name in DTYPES
    return built_in or isinstance(resolver.scope.interface(name), DomainInterface)


def _semantic(resolver: TypeResolver, word: tree.TypeWord, axes: Axes | None) -> Domain | None:
    name = word.name.text
    if word.argument is not None:
        resolver.report("E0503", word.span, f"`{name}` doesn't take a size in brackets: only Index does")
        return None
    if word.over is None:
        candidates = named(axes) if axes else ()
        example = candidates[-1] if candidates else "C"
        resolver.report(
            "E0503",
            word.span,
            f"`{name}` needs the axis that it is over",
            help=f"write {name} over {example}",
        )
        return None
    at = position(axes, word.over.text) if axes is not None else None
    if at is None:
        where = (
            "a type without a shape has no axes"
            if axes is None
            else f"the type has no axis `{word.over.text}`"
        )
        resolver.report("E0503", word.over.span, where)
        return None
    return Semantic(name, at)


def _declared(resolver: TypeResolver, word: tree.TypeWord, axes: Axes | None) -> Domain | None:
    name = word.name.text
    found = resolver.scope.interface(name)
    if isinstance(found, DomainInterface):
        return Range(found.interval, name)
    if isinstance(found, Broken):
        return None
    if found is not None:
        resolver.report(
            "E0303",
            word.span,
            f"`{name}` is {what_it_is(found)}, not a domain",
            labels=(Label(None, "declared here", name),),
        )
        return None
    if name in DTYPES:
        resolver.report("E0503", word.span, f"`{name}` isn't a domain")
        return None
    if name in ("int", "float"):
        resolver.report(
            "E0503",
            word.span,
            f"`{name}` is a Python number's type, not a tensor's dtype",
            help=f"write {DTYPE_WORDS[name]}",
        )
        return None
    if resolver.scope.local_size(name) is not None or resolver.scope.is_value(name):
        kind = "an axis" if resolver.scope.local_size(name) is not None else "a value"
        help = f"axes are written in brackets, as in [{name}]" if kind == "an axis" else None
        resolver.report("E0303", word.span, f"`{name}` is {kind}, not a domain", help=help)
        return None
    declared = (n for n, kind in resolver.scope.type_names() if kind is not DimInterface)
    others = ("int", "float", *ALONE) if axes is None else ()
    candidates = (*BUILTIN_DOMAINS, *DTYPES, *others, *declared)
    _unknown(resolver, word, candidates, "type" if axes is None else "domain or dtype")
    return None


def shape_help(name: str) -> str | None:
    """The help for a word that means nothing in a type, where its writer may have meant a shape or a size."""
    if name in ("Axis", "Axes", "Size"):
        return f"an extern fn's parameter is written with a name in brackets: {name}[n]"
    if name.lower() in DTYPE_WORDS:
        return f"write {DTYPE_WORDS[name.lower()]}"
    if name.lower() in ("tensor", "floattensor", "longtensor", "booltensor", "ndarray", "array"):
        return "the type of a tensor starts with its shape, as in `[b n]`"
    if name == "str":
        return "no parameter takes text"
    return f"axes are written in brackets, as in `[{name}]`" if len(name) == 1 else None


def go_together(domain: Domain, dtype: DType) -> bool:
    """Whether values of a domain can be stored as a dtype."""
    if domain == MASK:
        return dtype is DType.BOOL
    if dtype is DType.BOOL:
        return False
    if isinstance(domain, IndexOf):
        return dtype.kind == "int"
    if isinstance(domain, Semantic):
        return dtype.kind == "float"
    return isinstance(domain, Range) or domain.kind == "Binary" or dtype.kind == "float"
