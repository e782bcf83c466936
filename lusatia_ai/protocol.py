"""What the engine is asked and what it answers, as types: they parse the messages, and the JSON Schema comes from them.

A message is one JSON object on one line. Each query is a class of its own, chosen by the field `query`, and says by its
type parameter what the final reply to it is:

>>> from lusatia_ai.protocol import LegalMoves, decode_query, encode
>>> query, unknown = decode_query(b'{"id": "a1", "query": "legal_moves", "position": {}}')
>>> type(query) is LegalMoves, unknown
(True, [])
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

PROTOCOL = 1
"""The version of the protocol; it goes up when a message that was right before is so no more."""

LONGEST_ID = 200
SAFE = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""

# --- parts of messages --------------------------------------------------------------------------------

Id = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID, description="Names the query; its replies carry it.")]
Seed = Annotated[int, Meta(ge=0, le=SAFE)]
Count = Annotated[int, Meta(ge=0)]
SeatNumber = Annotated[int, Meta(ge=0, le=5)]
MoveText = Annotated[str, Meta(max_length=100)]
Hands = Literal["known", "hidden"]
Objective = Literal["win", "favour", "rank"]

_OBJECT = {"type": "object"}

if TYPE_CHECKING:  # whoever builds queries gives dicts, or a State, View or Record
    Document = Any
else:  # the engine reads documents itself, strictly, from the bytes as they came
    Document = Raw | UnsetType


class SearchLimit(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """When a search stops: at the first of these that is reached."""

    time: Annotated[float, Meta(ge=0.001, le=86_400, description="Seconds, from when the query is begun.")] | None = (
        None
    )
    iterations: Annotated[int, Meta(ge=1, le=10**9, description="Simulated games.")] | None = None
    memory: Annotated[int, Meta(ge=65_536, le=2**40, description="Bytes that the search trees may take.")] | None = None
    confidence: (
        Annotated[
            float,
            Meta(ge=0.5, le=0.9999, description="How sure it is to be that no other move is better than the best."),
        ]
        | None
    ) = None


class VariantOptions(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The rules in force."""

    humans: Annotated[int, Meta(ge=2, le=6, description="Players who decide.")] = 4
    automas: Annotated[int, Meta(ge=0, le=4, description="Automa opponents; with the humans 3 to 6 players.")] = 0
    easy: Annotated[bool, Meta(description="The easy game, without companions.")] = False
    chooser_must_contribute: Annotated[
        bool, Meta(description="Who chooses a row must store a piece of their own in it.")
    ] = False
    score_automas: Annotated[bool, Meta(description="Automas keep a score, for show.")] = False
    sides: Annotated[
        Literal["light", "dark"] | dict[str, Literal["light", "dark"]],
        Meta(description="Sides of the town tiles: of all, or by town (a missing town is light)."),
    ] = "light"


class FaultReport(Struct, kw_only=True):
    """One thing that is wrong in a document."""

    place: Annotated[str, Meta(description="Where, as a path: `players[2].guards`.")]
    found: Annotated[str, Meta(description="What stands there.")]
    allowed: Annotated[str, Meta(description="What could stand there instead.")]


class MoveReport(Struct, kw_only=True):
    """What an analysis found out about one move. Lists are by human seat."""

    move: Annotated[str, Meta(description="The move.")]
    visits: Annotated[int, Meta(description="Simulated games that tried it.")]
    availability: Annotated[int, Meta(description="Simulated games in which it was legal.")]
    value: Annotated[list[float], Meta(description="Mean win share after it, 0 to 1; a shared win is split.")]
    favour: Annotated[list[float], Meta(description="Mean final favour after it.")]
    rank: Annotated[list[float], Meta(description="Mean final rank after it, from 1.")]
    stderr: Annotated[list[float], Meta(description="Standard errors of `value`.")]
    favour_stderr: Annotated[list[float], Meta(description="Standard errors of `favour`.")]
    rank_stderr: Annotated[list[float], Meta(description="Standard errors of `rank`.")]
    line: Annotated[list[str], Meta(description="The moves that follow most often, this one first.")]
    loss: Annotated[float, Meta(description="Win share that the deciding seat loses against the best move, 0 or more.")]
    favour_loss: Annotated[float, Meta(description="Favour that it loses against the best move.")]
    loss_stderr: Annotated[float, Meta(description="Standard error of `loss`.")]


class GameResult(Struct, kw_only=True):
    """How a game ended."""

    favour: Annotated[list[int], Meta(description="Final favour of each human seat.")]
    winners: Annotated[list[int], Meta(description="The winning seats, ascending; several share the win.")]


# --- replies ------------------------------------------------------------------------------------------


class Reply(Struct, kw_only=True, omit_defaults=True):
    """What all messages of the engine have in common. A field at its default is left out."""

    id: Annotated[str | None, Meta(description="Of the query; null if the line had none.")]
    final: Annotated[bool, Meta(description="Whether no other message follows with this id.")] = True


class ErrorReply(Reply, kw_only=True, omit_defaults=True):
    """The line or the query cannot be answered. With `field` "id" the query was not accepted, and an earlier one with
    the same id goes on."""

    error: Annotated[str, Meta(description="What is wrong: what was found, what is allowed.")]
    field: Annotated[str | None, Meta(description="The field at fault, as a path; null for the line as a whole.")] = (
        None
    )
    faults: Annotated[list[FaultReport], Meta(description="All faults of a document that cannot be read.")] = []


class WarningReply(Reply, kw_only=True, omit_defaults=False):
    """Something in the query was ignored; the answer follows. `final` is false."""

    final: Literal[False] = False
    warning: Annotated[str, Meta(description="What was ignored.")]
    field: Annotated[str, Meta(description="The field, as a path.")]


class AnalyseReply(Reply, kw_only=True, omit_defaults=True):
    """What has been found out: on the way with `final` false, and at the end."""

    seat: Annotated[int | None, Meta(description="Who decides.")] = None
    best: Annotated[str | None, Meta(description="The move to play; null if stopped before anything was found.")] = None
    moves: Annotated[list[MoveReport], Meta(description="The moves, best first.")] = []
    iterations: Annotated[int, Meta(description="Simulated games.")] = 0
    elapsed: Annotated[float, Meta(description="Seconds of the search.")] = 0.0
    tree_size: Annotated[int, Meta(description="Nodes of the search trees.")] = 0
    stopped_by: Annotated[
        str, Meta(description="`time`, `iterations`, `memory`, `confidence` or `stop`; empty on the way.")
    ] = ""
    exact: Annotated[bool, Meta(description="Whether the first move is best for sure; values are sampled.")] = False
    hint: Annotated[
        list[str], Meta(description="The first move explained in sentences, if `explain` asks for it.")
    ] = []
    stopped: Annotated[bool, Meta(description="Whether `stop` or `quit` ended it.")] = False


class PlayReply(Reply, kw_only=True, omit_defaults=True):
    """The move that the player makes."""

    move: Annotated[str | None, Meta(description="The move; null if stopped before there was one.")] = None
    iterations: Annotated[int, Meta(description="Simulated games; 0 if it did not search.")] = 0
    comment: Annotated[str | None, Meta(description="What the player says about it.")] = None
    stopped: Annotated[bool, Meta(description="Whether `stop` or `quit` cut it short.")] = False


class LegalMovesReply(Reply, kw_only=True):
    """The legal moves."""

    seat: Annotated[int | None, Meta(description="Who decides; null at a chance event and when the game is over.")]
    decision: Annotated[str | None, Meta(description="What is decided, or `chance`; null when the game is over.")]
    event: Annotated[str | None, Meta(description="The chance event that is waited for.")]
    moves: Annotated[list[str], Meta(description="The legal moves in canonical order.")]


class GameReply(Reply, kw_only=True, omit_defaults=True):
    """A position, and what led to it."""

    position: Annotated[dict[str, Any], Meta(description="The position.")]
    events: Annotated[
        list[dict[str, Any]],
        Meta(description="What happened, as a record writes it: moves and chance, drawn or given."),
    ]
    stream: Annotated[
        str | None, Meta(description="Where the stream of chance stands; give it back with the next `apply`.")
    ] = None
    seat: Annotated[int | None, Meta(description="Who decides now.")] = None
    decision: Annotated[str | None, Meta(description="What is decided, or `chance`.")] = None
    event: Annotated[str | None, Meta(description="The chance event that is waited for.")] = None
    result: Annotated[GameResult | None, Meta(description="How the game ended.")] = None
    record: Annotated[
        dict[str, Any] | None, Meta(description="The record with the new events, if a record was given.")
    ] = None


class ValidateReply(Reply, kw_only=True):
    """Whether a document can be read."""

    valid: Annotated[bool, Meta(description="Whether it has no faults.")]
    kind: Annotated[Literal["position", "view", "record"], Meta(description="What it was read as.")]
    faults: Annotated[list[FaultReport], Meta(description="All that is wrong with it.")]


class SolveReply(Reply, kw_only=True, omit_defaults=True):
    """The exact solution: the fields of `lusatia_ai.solver.Solution`, infinite bounds being null."""

    solution: Annotated[
        dict[str, Any] | None,
        Meta(description="The solution, with bounds if it was stopped; null if it was stopped before it began."),
    ] = None
    stopped: Annotated[bool, Meta(description="Whether `stop` or `quit` ended it.")] = False


class RenderReply(Reply, kw_only=True, omit_defaults=True):
    """A picture of the table."""

    content: Annotated[str | None, Meta(description="The picture; null if stopped before it was drawn.")] = None
    media_type: Annotated[str, Meta(description="`image/svg+xml` or `text/plain`.")] = "image/svg+xml"
    stopped: Annotated[bool, Meta(description="Whether `stop` or `quit` came before it was drawn.")] = False


class VersionReply(Reply, kw_only=True):
    """Which engine this is."""

    name: Annotated[str, Meta(description="`lusatia-ai`.")]
    version: Annotated[str, Meta(description="Of the program.")]
    protocol: Annotated[int, Meta(description="Of the protocol.")]


class CapabilitiesReply(Reply, kw_only=True):
    """What this engine can do."""

    queries: Annotated[list[str], Meta(description="The queries that it answers.")]
    formats: Annotated[list[str], Meta(description="What `render` can draw.")]
    levels: Annotated[dict[str, str], Meta(description="Levels of `play`, with their names.")]
    styles: Annotated[list[str], Meta(description="Styles of `play`.")]
    objectives: Annotated[list[str], Meta(description="Objectives of `analyse`.")]
    components: Annotated[list[str], Meta(description="Component sets known by name.")]
    workers: Annotated[int, Meta(description="Queries that are worked on at a time.")]
    longest_line: Annotated[int, Meta(description="Bytes of the longest line that is read.")]
    most_waiting: Annotated[int, Meta(description="Queries that wait at most; beyond, no more lines are read.")]


class StopReply(Reply, kw_only=True):
    """What is being stopped; each query has its own final reply besides."""

    stopping: Annotated[list[str], Meta(description="Ids of the queries told to stop; others have been answered.")]


class QuitReply(Reply, kw_only=True):
    """The last line: all queries have been answered."""


# --- queries ------------------------------------------------------------------------------------------

R = TypeVar("R", bound=Reply)


class Query(
    Struct, Generic[R], kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="query", tag="query"
):
    """What all queries have in common."""

    id: Id = ""
    priority: Annotated[
        int, Meta(ge=-1000, le=1000, description="Of those waiting, the highest is begun first; equals in their order.")
    ] = 0


class Positioned(Query[R], Generic[R], kw_only=True, tag="positioned"):
    """A query about a position: exactly one of `position`, `view` and `record` is given."""

    position: Annotated[Document, Meta(description="A full position, or a view.", extra_json_schema=_OBJECT)] = UNSET
    view: Annotated[Document, Meta(description="What one seat sees of a position.", extra_json_schema=_OBJECT)] = UNSET
    record: Annotated[
        Document, Meta(description="A game record; it stands for its last position.", extra_json_schema=_OBJECT)
    ] = UNSET
    turns: (
        Annotated[int, Meta(ge=0, le=100_000, description="With `record`: the position after so many events.")] | None
    ) = None


class Observed(Positioned[R], Generic[R], kw_only=True, tag="observed"):
    """A query that a seat's view answers, never the full position."""

    seat: (
        Annotated[int, Meta(ge=0, le=5, description="Whose view of a full position; by default of who decides.")] | None
    ) = None
    hands: Annotated[
        Hands, Meta(description="Whether the view of a full position shows the other players' guards and estates.")
    ] = "known"


class Analyse(Observed[AnalyseReply], tag="analyse", kw_only=True):
    """Search a decision, and report on every move."""

    limit: Annotated[SearchLimit | None, Meta(description="When to end; by default after one second.")] = None
    top: Annotated[int, Meta(ge=1, le=10_000, description="Report on so many moves at most.")] | None = None
    objective: Annotated[Objective, Meta(description="What everybody is after.")] = "win"
    include: Annotated[list[MoveText] | None, Meta(description="Search these moves alone; they must be legal.")] = None
    exclude: Annotated[list[MoveText], Meta(description="Leave these moves out; they must be legal.")] = []
    report_every: (
        Annotated[float, Meta(ge=0.1, le=86_400, description="Seconds between reports on the way; by default none.")]
        | None
    ) = None
    seed: Annotated[Seed | None, Meta(description="With `limit.iterations` alone, makes it repeatable.")] = None
    trees: Annotated[int, Meta(ge=1, le=64, description="Independent search trees, grown on as many threads.")] = 1
    explain: Annotated[bool, Meta(description="Whether the final reply explains the first move in sentences.")] = False


class Play(Observed[PlayReply], tag="play", kw_only=True):
    """Decide as a player of some level."""

    level: Annotated[int, Meta(ge=1, le=10, description="How strong it plays.")] = 10
    style: Annotated[str, Meta(max_length=50, description="What it is fond of; `capabilities` lists the styles.")] = (
        "balanced"
    )
    limit: Annotated[
        SearchLimit | None, Meta(description="When to end; by default as the level says, at level 10 after one second.")
    ] = None
    seed: Annotated[Seed | None, Meta(description="With `limit.iterations` alone, makes it repeatable.")] = None


class LegalMoves(Positioned[LegalMovesReply], tag="legal_moves", kw_only=True):
    """List the legal moves."""


class Apply(Positioned[GameReply], tag="apply", kw_only=True):
    """Carry out moves and chance events in a full position."""

    moves: Annotated[
        list[MoveText | dict[str, Any]],
        Meta(
            max_length=10_000,
            description='Move texts, chance objects, or `{"seat": 0, "move": "accept"}`, which checks who moves.',
        ),
    ] = []
    chance: Annotated[
        Literal["auto", "manual"], Meta(description="Whether chance is drawn wherever it is waited for, or given.")
    ] = "auto"
    stream: Annotated[
        Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None,
        Meta(description="Draw from here on, as the last reply said."),
    ] = None
    seed: Annotated[Seed | None, Meta(description="Of a new stream; without it and `stream`, unrepeatable.")] = None


class New(Query[GameReply], tag="new", kw_only=True):
    """Set up a new game."""

    variant: Annotated[VariantOptions | None, Meta(description="The rules in force; by default four humans.")] = None
    components: Annotated[str | dict[str, Any], Meta(description="A component set, by its name or as an object.")] = (
        "complete-edition"
    )
    chance: Annotated[
        Literal["auto", "manual"], Meta(description="Whether chance is drawn up to the first decision, or given.")
    ] = "auto"
    seed: Annotated[Seed | None, Meta(description="Of the stream of chance; by default unrepeatable.")] = None


class Validate(Positioned[ValidateReply], tag="validate", kw_only=True):
    """Check a document, and list all its faults."""


class Solve(Observed[SolveReply], tag="solve", kw_only=True):
    """Solve a decision exactly, where that is possible. Once begun, it ends by its limit alone."""

    limit: Annotated[
        SearchLimit | None, Meta(description="When to give up, `iterations` being nodes; by default after ten seconds.")
    ] = None
    objective: Annotated[Literal["favour", "margin", "win"], Meta(description="What everybody is after.")] = "favour"
    concept: Annotated[
        Literal["maxn", "paranoid"],
        Meta(description="Whether each seat takes what is best for itself, or all play against who decides."),
    ] = "maxn"
    horizon: Annotated[
        Literal["stage", "round", "game"], Meta(description="How far it looks: to the end of the stage, and so on.")
    ] = "stage"
    worlds: Annotated[int, Meta(ge=1, le=10_000, description="Worlds that are sampled where hands are hidden.")] = 32
    seed: Annotated[Seed | None, Meta(description="Of these worlds; by default unrepeatable.")] = None


class Render(Positioned[RenderReply], tag="render", kw_only=True):
    """Draw the table."""

    format: Annotated[Literal["svg", "text"], Meta(description="As a picture or in words.")] = "svg"
    seat: Annotated[int, Meta(ge=0, le=5, description="Draw what this seat sees.")] | None = None
    hands: Annotated[Hands, Meta(description="With `seat`: whether it knows the other players' hands.")] = "known"
    width: Annotated[int, Meta(ge=80, le=120, description="Columns of the text.")] = 100


class Version(Query[VersionReply], tag="version", kw_only=True):
    """Ask which engine this is."""


class Capabilities(Query[CapabilitiesReply], tag="capabilities", kw_only=True):
    """Ask what this engine can do."""


class Stop(Query[StopReply], tag="stop", kw_only=True):
    """End queries early: exactly one of `target` and `all` is given. They are answered with what has been found."""

    target: Annotated[Id | None, Meta(description="The id of the query.")] = None
    all: Annotated[bool, Meta(description="All queries that have no final reply yet.")] = False


class Quit(Query[QuitReply], tag="quit", kw_only=True):
    """Stop everything, answer it, and end."""


AnyQuery = Analyse | Play | LegalMoves | Apply | New | Validate | Solve | Render | Version | Capabilities | Stop | Quit

REPLIES: dict[type[Query[Any]], type[Reply]] = {
    Analyse: AnalyseReply,
    Play: PlayReply,
    LegalMoves: LegalMovesReply,
    Apply: GameReply,
    New: GameReply,
    Validate: ValidateReply,
    Solve: SolveReply,
    Render: RenderReply,
    Version: VersionReply,
    Capabilities: CapabilitiesReply,
    Stop: StopReply,
    Quit: QuitReply,
}
"""The type of the replies to each query, errors and warnings apart."""


def name_of(query: type[Query[Any]]) -> str:
    """The name of a query, as its messages spell it."""
    return str(query.__struct_config__.tag)


QUERIES: dict[str, type[Query[Any]]] = {name_of(query): query for query in REPLIES}

# --- reading and writing --------------------------------------------------------------------------------


class MessageError(ValueError):
    """A line that is no query.

    Attributes:
        id: of the query, if one can be told.
        field: the field at fault; None for the line as a whole.
    """

    def __init__(self, message: str, id: str | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.id = id
        self.field = field


_FIELDS = msgspec.json.Decoder(dict[str, Raw])
_ID = msgspec.json.Decoder(Id)
_TEXT = msgspec.json.Decoder(str)
_DECODERS = {name: msgspec.json.Decoder(query) for name, query in QUERIES.items()}
_KNOWN = {name: {"query", *query.__struct_fields__} for name, query in QUERIES.items()}
_ENCODER = msgspec.json.Encoder(enc_hook=lambda value: value.to_json())


def decode_query(line: bytes) -> tuple[Query[Any], list[str]]:
    """Read a line.

    Returns:
        The query, and the names of its fields that nobody knows; they are to be warned of.

    Raises:
        MessageError: if it is no query.
    """
    fields = _fields(line)
    id = _id(fields)
    name = _name(fields, id)
    unknown = [key for key in fields if key not in _KNOWN[name]]
    if unknown:
        line = msgspec.json.encode({key: value for key, value in fields.items() if key in _KNOWN[name]})
    try:
        return _DECODERS[name].decode(line), unknown
    except (msgspec.DecodeError, RecursionError) as error:
        message, place = split_place(str(error))
        raise MessageError(message, id, place) from None


def _fields(line: bytes) -> dict[str, Raw]:
    try:
        line.decode("utf-8")
        return _FIELDS.decode(line)
    except UnicodeDecodeError as error:
        raise MessageError(f"found no UTF-8 at byte {error.start}; allowed: one JSON object a line, in UTF-8") from None
    except RecursionError:
        raise MessageError("found nesting without end; allowed: one JSON object a line") from None
    except msgspec.DecodeError as error:
        raise MessageError(f"{error}; allowed: one JSON object a line") from None


def _id(fields: dict[str, Raw]) -> str:
    try:
        return _ID.decode(fields["id"])
    except KeyError:
        raise MessageError("found no id; allowed: a text of 1 to 200 characters", field="id") from None
    except (msgspec.DecodeError, RecursionError):
        raise MessageError("found another id; allowed: a text of 1 to 200 characters", field="id") from None


def decode_id(text: bytes) -> str | None:
    """The id that a JSON text spells; None if it spells none."""
    try:
        return _ID.decode(text)
    except msgspec.DecodeError:
        return None


def _name(fields: dict[str, Raw], id: str) -> str:
    try:
        name = _TEXT.decode(fields["query"])
    except (KeyError, msgspec.DecodeError, RecursionError):
        name = ""
    if name not in QUERIES:
        found = "none" if "query" not in fields else _short(fields["query"])
        raise MessageError(f"found {found}; allowed: {', '.join(QUERIES)}", id, "query")
    return name


def _short(raw: Raw) -> str:
    text = bytes(raw).decode("utf-8", "replace")
    return text if len(text) <= 60 else text[:57] + "..."


def split_place(message: str) -> tuple[str, str | None]:
    """A message of msgspec, apart from the path that it names: `limit.time`."""
    text, _, path = message.partition(" - at `$")
    place = path.rstrip("`").lstrip(".")
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", text, re.DOTALL)
    if unknown:
        place, text = f"{place}.{unknown[1]}".lstrip("."), "found an unknown field"
    return text, place or None


def encode(message: Query[Any] | Reply | Sequence[Any]) -> bytes:
    """A message as a line. Documents may be dicts, or whatever has a `to_json`."""
    return _ENCODER.encode(message) + b"\n"
