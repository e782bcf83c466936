"""The protocol of the engine as JSON Schema and as tables, both made from the types in `protocol.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from . import protocol as p

Schema = dict[str, Any]

PARTS = (p.SearchLimit, p.VariantOptions, p.MoveReport, p.FaultReport, p.GameResult)


def json_schema() -> Schema:
    """A JSON Schema (2020-12) that all lines of the protocol satisfy.

    `requests` and `replies` refer to the schema of each query and of its replies by its name.
    """
    queries, replies = list(p.QUERIES.values()), list(dict.fromkeys(p.REPLIES.values()))
    types: list[type] = [*queries, *replies, p.ErrorReply, p.WarningReply]
    _, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for query in queries:
        _require_id(definitions[query.__name__])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Messages of the lusatia-ai engine",
        "description": f"Protocol {p.PROTOCOL}: one JSON object a line; requests in, replies out.",
        "anyOf": [_reference(one) for one in types],
        "requests": {name: _reference(query) for name, query in p.QUERIES.items()},
        "replies": {p.name_of(query): _reference(reply) for query, reply in p.REPLIES.items()},
        "$defs": definitions,
    }


def _reference(one: type) -> Schema:
    return {"$ref": f"#/$defs/{one.__name__}"}


def _require_id(definition: Schema) -> None:
    """An id has a default in Python, where the client gives it, but not in a message."""
    del definition["properties"]["id"]["default"]
    definition["required"] = ["query", "id"]


# --- tables -----------------------------------------------------------------------------------------


def field_tables() -> str:
    """All messages in Markdown: each field with its type, range, default and meaning."""
    definitions = json_schema()["$defs"]
    lines = ["### Queries", ""]
    for name, query in p.QUERIES.items():
        lines += _section(f"`{name}`", definitions[query.__name__], f"Reply: {_title(p.REPLIES[query].__name__)}.")
    lines += ["### Replies", ""]
    replies: list[type] = [*p.REPLIES.values(), p.ErrorReply, p.WarningReply]
    for reply in dict.fromkeys(replies):
        lines += _section(_title(reply.__name__), definitions[reply.__name__])
    lines += ["### Parts of messages", ""]
    for part in PARTS:
        lines += _section(_title(part.__name__), definitions[part.__name__])
    return "\n".join(lines).rstrip() + "\n"


def _title(name: str) -> str:
    """`MoveReport` in words: move report."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()


def _section(title: str, definition: Schema, after: str = "") -> Iterator[str]:
    yield f"#### {title}"
    yield ""
    yield " ".join(filter(None, [definition["description"].replace("\n", " ").replace("    ", " "), after]))
    yield ""
    yield "| field | type and range | default | meaning |"
    yield "|---|---|---|---|"
    for name, schema in definition["properties"].items():
        if name == "query":
            continue
        needed = name in definition.get("required", ())
        default = "needed" if needed else _default(schema)
        yield f"| `{name}` | {_type(schema)} | {default} | {_meaning(schema)} |"
    yield ""


def _default(schema: Schema) -> str:
    default = schema.get("default")
    return "none" if default is None else f"`{msgspec.json.encode(default).decode()}`"


def _meaning(schema: Schema) -> str:
    own = schema.get("description", "")
    return own or next((part["description"] for part in schema.get("anyOf", ()) if "description" in part), "")


def _type(schema: Schema) -> str:
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(part) for part in schema["anyOf"]))
    if "$ref" in schema:
        return _title(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return ", ".join(f"`{msgspec.json.encode(value).decode()}`" for value in schema["enum"])
    name = str(schema.get("type", "anything"))
    if name == "array":
        return f"list of {_type(schema.get('items', {}))}{_span(schema, 'Items')}"
    if name == "object" and isinstance(schema.get("additionalProperties"), dict) and schema["additionalProperties"]:
        return f"object of {_type(schema['additionalProperties'])}"
    words = {"string": "text", "integer": "whole number"}.get(name, name)
    pattern = f", like `{schema['pattern']}`" if "pattern" in schema else ""
    return words + _span(schema, "Length") + _range(schema) + pattern


def _range(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and high is None:
        return ""
    return f" from {low}" + (f" to {high}" if high is not None else "")


def _span(schema: Schema, what: str) -> str:
    low, high = schema.get(f"min{what}", 0), schema.get(f"max{what}")
    units = {"Length": "characters", "Items": "entries"}[what]
    return "" if high is None else f", {low} to {high} {units}"
