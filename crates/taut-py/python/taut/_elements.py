"""The elements of a model by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


class Element:
    """An element of a model, with what the model file says about it as attributes."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.__dict__.update(facts)

    name: str
    type: str | None

    def __repr__(self) -> str:
        facts = ", ".join(f"{k}={v!r}" for k, v in self.__dict__.items() if v not in (None, [], "") and k != "section")
        return f"{self.__dict__.get('section', 'element')}({facts})"


class Elements(Mapping[str, Element]):
    """The elements of one section by name: `model.joints["elbow"]`."""

    def __init__(self, section: str, items: Sequence[Mapping[str, Any]]) -> None:
        self._section = section
        self._items = {str(facts["name"]): Element(facts) for facts in items}

    def __getitem__(self, name: str) -> Element:
        try:
            return self._items[name]
        except KeyError:
            known = ", ".join(self._items) or "none"
            raise KeyError(f"no {self._section} `{name}`; there are: {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"{self._section}: {', '.join(self._items) or 'none'}"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._items)
