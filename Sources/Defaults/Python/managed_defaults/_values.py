"""Values in the JSON of property lists."""

from __future__ import annotations

import base64
import datetime
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Union

Value = Union[str, bool, int, float, datetime.datetime, bytes, Sequence["Value"], Mapping[str, "Value"]]

# Dates count from here.
_START = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)


def encode(value: Value) -> bytes:
    """A value as JSON for the library. Raises TypeError, ValueError or OverflowError if no property list can hold it."""
    try:
        # Surrogates are no text, which encode() says; NUL becomes an escape.
        return json.dumps(_encoded(value), ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("the value has too many levels") from None


def decode(text: str) -> Value:
    """The value of JSON from the library. Raises OverflowError for a date that no datetime can hold."""
    value: Value = _decoded(json.loads(text))
    return value


def _encoded(value: Any) -> Any:
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise OverflowError(f"no property list has the number {value}")
        return int(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        return {"$real": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    if isinstance(value, datetime.datetime):
        if value.utcoffset() is None:
            raise ValueError("a datetime needs a time zone")
        # Microseconds are exact until the year 2286.
        return {"$date": (value - _START) / datetime.timedelta(seconds=1)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$data": base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"a key is a str, not {type(key).__name__}")
        encoded = {key: _encoded(item) for key, item in value.items()}
        return {"$dict": encoded} if len(encoded) == 1 and next(iter(encoded)).startswith("$") else encoded
    if isinstance(value, Sequence):
        return [_encoded(item) for item in value]
    raise TypeError(f"no property list has a {type(value).__name__}")


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    form: str = next(iter(value)) if len(value) == 1 else ""
    content: Any = value.get(form)
    if form == "$date":
        return _date(content)
    if form == "$data":
        return base64.b64decode(content)
    if form == "$real":
        return float(content)
    if form == "$dict":
        value = content
    return {key: _decoded(item) for key, item in value.items()}


def _date(content: Any) -> datetime.datetime:
    if not isinstance(content, str):
        return _START + datetime.timedelta(seconds=content)
    try:
        return datetime.datetime.fromisoformat(content.replace("Z", "+00:00"))
    except ValueError:
        raise OverflowError(f"no datetime has the time {content}") from None
