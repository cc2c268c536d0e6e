"""Sizes: polynomials with integer coefficients over size symbols, kept in a normal form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shapescript_check.sizes.symbols import Symbol, SymbolKind

Monomial = tuple[Symbol, ...]
Term = tuple[Monomial, int]

_LARGEST = 2**127 - 1
_MOST_TERMS = 2000
_MOST_INTERNED = 1 << 16


class SizeTooLarge(OverflowError):
    """A size, or a step in working one out, does not fit in 128 bits (or has absurdly many terms)."""


class Size:
    """An immutable polynomial over size symbols.

    Sizes are equal when they are the same polynomial, in whatever order it was written; each keeps the
    order it was written in for printing, so `3*H*Dh` and `3*Dh*H` are equal and print differently.
    Comparing after replacing dims by their values is `same`, not `==`.

    Attributes:
        terms: the terms in the order they print, each a product of symbols and its coefficient, never 0.
        value: this size with each dim replaced by its number.
        variables: the symbols in it that the solver works out.
    """

    __slots__ = ("_hash", "_int", "_key", "_symbols", "_text", "terms", "value", "variables")

    terms: tuple[Term, ...]
    value: Size
    variables: frozenset[Symbol]
    _key: object
    _hash: int
    _int: int | None
    _symbols: frozenset[Symbol]
    _text: str | None

    @staticmethod
    def number(number: int) -> Size:
        """The constant size `number`.

        Raises:
            SizeTooLarge: the number does not fit in 128 bits.
        """
        return _intern((((), number),) if number else ())

    @staticmethod
    def of(symbol: Symbol) -> Size:
        """The size that is exactly one symbol."""
        return _intern((((symbol,), 1),))

    def __add__(self, other: Size | int) -> Size:
        other = _as_size(other)
        if not self.terms:
            return other
        if not other.terms:
            return self
        return _collect(self.terms + other.terms)

    __radd__ = __add__

    def __neg__(self) -> Size:
        return _intern(_in_order([(monomial, -factor) for monomial, factor in self.terms]))

    def __sub__(self, other: Size | int) -> Size:
        other = _as_size(other)
        if not other.terms:
            return self
        return _collect([*self.terms, *((monomial, -factor) for monomial, factor in other.terms)])

    def __rsub__(self, other: int) -> Size:
        return _as_size(other) - self

    def __mul__(self, other: Size | int) -> Size:
        other = _as_size(other)
        if len(self.terms) * len(other.terms) > _MOST_TERMS:
            raise SizeTooLarge("the size has too many terms")
        return _collect([(a + b, p * q) for a, p in self.terms for b, q in other.terms])

    def __rmul__(self, other: int) -> Size:
        return _as_size(other) * self

    @staticmethod
    def divide(a: Size, b: Size) -> Size | None:
        """`a / b` where that is exact, first symbolically and then with dims replaced by their values.

        Returns:
            The quotient, or None when `b` is not a single term that divides every term of `a`.
        """
        quotient = _divide_terms(a, b)
        return quotient if quotient is not None else _divide_terms(a.value, b.value)

    def as_int(self) -> int | None:
        """The whole value when no symbol but dims is in it."""
        return self._int

    @property
    def is_number(self) -> bool:
        """Whether it is written as a number, without any symbol."""
        return not self._symbols

    def same(self, other: Size) -> bool:
        """Whether the two are equal after replacing dims by their values."""
        return self is other or self.value == other.value

    def differs(self, other: Size) -> bool:
        """Whether the two are surely different, as 3 and 4 are, and `n` and `n+1`."""
        try:
            return (self.value - other.value).as_int() not in (None, 0)
        except SizeTooLarge:
            return False

    def symbols(self) -> frozenset[Symbol]:
        """The symbols as written, dims included."""
        return self._symbols

    @property
    def name(self) -> str | None:
        """The symbol's name when the size is exactly one dim or generic axis."""
        if len(self.terms) != 1:
            return None
        monomial, factor = self.terms[0]
        if factor != 1 or len(monomial) != 1:
            return None
        symbol = monomial[0]
        return symbol.name if symbol.kind is SymbolKind.DIM or symbol.kind is SymbolKind.GENERIC else None

    def substitute(self, mapping: Mapping[Symbol, Size]) -> Size:
        """This size with some symbols replaced by sizes.

        Raises:
            SizeTooLarge: the result does not fit in 128 bits.
        """
        if self._symbols.isdisjoint(mapping):
            return self
        if len(self.terms) == 1 and len(self.terms[0][0]) == 1 and self.terms[0][1] == 1:
            return mapping[self.terms[0][0][0]]
        total = _ZERO
        for monomial, factor in self.terms:
            product = Size.number(factor)
            for symbol in monomial:
                replacement = mapping.get(symbol)
                product = product * (Size.of(symbol) if replacement is None else replacement)
            total = total + product
        return total

    def lower_bound(self) -> int | None:
        """The smallest possible value: dims are their values, unknown sizes at least 0, others at least 1.

        Returns:
            The bound, or None when the size has no lower bound that is cheap to see.
        """
        if self._int is not None:
            return self._int
        terms = self.value.terms
        if any(factor < 0 and monomial for monomial, factor in terms):
            return self._bound_of_mixed_signs()
        bound = 0
        for monomial, factor in terms:
            for symbol in monomial:
                factor *= symbol.lower
            bound += factor
        return bound

    def _bound_of_mixed_signs(self) -> int | None:
        # With s = lower + s' and s' at least 0, coefficients that are all at least 0 leave the constant.
        shifted = {symbol: Size.of(symbol) + symbol.lower for symbol in self.value._symbols if symbol.lower}
        try:
            moved = self.value.substitute(shifted)
        except SizeTooLarge:
            return None
        constant = 0
        for monomial, factor in moved.terms:
            if not monomial:
                constant = factor
            elif factor < 0:
                return None
        return constant

    def surely_at_least(self, other: Size | int) -> bool:
        """Whether `self >= other` is provable from the symbols' lower bounds."""
        try:
            bound = (self - other).lower_bound()
        except SizeTooLarge:
            return False
        return bound is not None and bound >= 0

    def text_with_value(self) -> str:
        """The size as written and, where it has dims, what they make of it: `3*D = 2304`."""
        text = str(self)
        return text if self.value is self or self.value == self else f"{text} = {self.value}"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Size) and self._hash == other._hash and self._key == other._key

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        if self._text is None:
            self._text = _write(self.terms)
        return self._text

    def __repr__(self) -> str:
        return f"<size {self}>"

    def __reduce__(self) -> tuple[object, tuple[tuple[Term, ...]]]:
        return _intern, (self.terms,)


_SIZES: dict[tuple[Term, ...], Size] = {}


def _intern(terms: tuple[Term, ...]) -> Size:
    known = _SIZES.get(terms)
    if known is not None:
        return known
    if any(not -_LARGEST - 1 <= factor <= _LARGEST for _, factor in terms):
        raise SizeTooLarge("the size does not fit in 128 bits")
    self = object.__new__(Size)
    self.terms = terms
    self._key = _key_of(terms)
    self._hash = hash(self._key)
    self._symbols = frozenset([symbol for monomial, _ in terms for symbol in monomial])
    self.variables = frozenset([symbol for symbol in self._symbols if symbol.kind is SymbolKind.VARIABLE])
    self._text = None
    self.value = _replace_dims(self)
    rest = self.value.terms
    self._int = 0 if not rest else rest[0][1] if not rest[0][0] else None
    if len(_SIZES) >= _MOST_INTERNED:
        # Equality does not rest on identity, so forgetting costs only time.
        _SIZES.clear()
    _SIZES[terms] = self
    return self


def _replace_dims(self: Size) -> Size:
    if not any(symbol.value is not None for symbol in self._symbols):
        return self
    replaced: list[Term] = []
    for monomial, factor in self.terms:
        rest: list[Symbol] = []
        for symbol in monomial:
            if symbol.value is None:
                rest.append(symbol)
            else:
                factor *= symbol.value
        replaced.append((tuple(rest), factor))
    return _collect(replaced)


def _collect(terms: Iterable[Term]) -> Size:
    """The sum of the terms; like terms merge into the first one, as it was written."""
    factors: dict[Monomial, int] = {}
    written: dict[Monomial, Monomial] = {}
    for monomial, factor in terms:
        canonical = _canonical(monomial)
        if canonical in factors:
            factors[canonical] += factor
        else:
            factors[canonical] = factor
            written[canonical] = monomial
    if len(factors) > _MOST_TERMS:
        raise SizeTooLarge("the size has too many terms")
    return _intern(_in_order([(written[key], factor) for key, factor in factors.items() if factor]))


def _canonical(monomial: Monomial) -> Monomial:
    # Any fixed order does, as it is never shown; symbols are unique objects, so their ids are one.
    return monomial if len(monomial) < 2 else tuple(sorted(monomial, key=id))


def _in_order(terms: list[Term]) -> tuple[Term, ...]:
    """The terms as they print: as written, but the constant last and no minus sign first if avoidable."""
    if len(terms) > 1:
        if terms[0][1] < 0 or not terms[0][0]:
            terms.sort(key=lambda term: (not term[0], term[1] < 0))
        else:
            terms.sort(key=lambda term: not term[0])
    return tuple(terms)


def _key_of(terms: tuple[Term, ...]) -> object:
    if not terms:
        return 0
    if len(terms) == 1:
        monomial, factor = terms[0]
        return (_canonical(monomial), factor) if monomial else factor
    return frozenset([(_canonical(monomial), factor) for monomial, factor in terms])


def _as_size(size: Size | int) -> Size:
    return size if isinstance(size, Size) else Size.number(size)


def _divide_terms(a: Size, b: Size) -> Size | None:
    if len(b.terms) != 1:
        return None
    divisor, by = b.terms[0]
    quotient: list[Term] = []
    for monomial, factor in a.terms:
        if factor % by:
            return None
        rest = list(monomial)
        for symbol in divisor:
            if symbol not in rest:
                return None
            rest.remove(symbol)
        quotient.append((tuple(rest), factor // by))
    return _intern(_in_order(quotient))


def _write(terms: tuple[Term, ...]) -> str:
    if not terms:
        return "0"
    text = ""
    for monomial, factor in terms:
        parts = [str(symbol) for symbol in monomial]
        if abs(factor) != 1 or not parts:
            parts.insert(0, str(abs(factor)))
        sign = "-" if factor < 0 else "+"
        text += f" {sign} " if text else sign.strip("+")
        text += "*".join(parts)
    return text


_ZERO = _intern(())
