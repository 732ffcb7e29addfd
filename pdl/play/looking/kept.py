"""What is made once and then kept: a value of an object, or the last ones by their keys."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pdl.errors import PdlError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_T = TypeVar("_T")


class kept(Generic[_T]):  # noqa: N801 - a decorator
    """A property that is computed once; an error of pdl is kept too, and raised each time."""

    def __init__(self, make: Callable[[Any], _T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = f"kept {name}"

    def __get__(self, owner: object, kind: type) -> _T:
        known = owner.__dict__
        if self._name not in known:
            try:
                known[self._name] = self._make(owner), None
            except (PdlError, RecursionError) as raised:
                known[self._name] = None, raised.with_traceback(None)
        value, error = known[self._name]
        if error is not None:
            raise error.with_traceback(None)
        found: _T = value
        return found


class Recent(Generic[_T]):
    """The values that were asked for last, by their keys. Threads may share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._known: OrderedDict[Hashable, _T] = OrderedDict()

    def get(
        self, key: Hashable, make: Callable[[], _T], is_current: Callable[[_T], bool] | None = None
    ) -> _T:
        """Return the value of a key; it is made if there is none, or none that is current."""
        with self._lock:
            found = self._known.get(key)
        if found is None or (is_current is not None and not is_current(found)):
            found = make()
        with self._lock:
            self._known[key] = found
            self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return found
