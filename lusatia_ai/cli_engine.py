"""The command `lusatia-ai engine`."""

from __future__ import annotations

import json
import sys

import click


@click.command()
@click.option(
    "--workers", type=click.IntRange(1, 64), help="Queries worked on at a time.  [default: processors, at least 2]"
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of all messages, and end.")
@click.option("--fields", is_flag=True, help="Print tables of all fields in Markdown, and end.")
def engine(workers: int | None, schema: bool, fields: bool) -> None:
    """Answer queries from standard input, JSON objects a line, on standard output.

    For front ends in any language. The queries: analyse, play, legal_moves, apply, new, validate, solve, render,
    version, capabilities, stop, quit; docs/engine.md describes them.

    \b
    Examples:
      echo '{"id": "1", "query": "new", "seed": 7}' | lusatia-ai engine
      lusatia-ai engine --schema > engine.schema.json
    """
    if schema or fields:
        from .schema import field_tables, json_schema

        click.echo(field_tables() if fields else json.dumps(json_schema(), indent=1) + "\n", nl=False)
        return
    from .engine import serve

    sys.exit(serve(workers))
