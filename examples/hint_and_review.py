"""A hint for a saved game, and a review of it: `python examples/hint_and_review.py [GAME] [ITERATIONS] [PAGE]`.

Reads the record of a game, says what its players might have done at one decision and why, reviews the decisions of the
first player, and writes the whole review as a page for the browser.
"""

from __future__ import annotations

import sys
from pathlib import Path

import lusatia_ai as la

GAME = Path(__file__).parent / "games" / "three_players.json"


def main(game: str = str(GAME), iterations: str = "500", page: str = "review.html") -> None:
    record = la.Record.load(game, strict=True)
    limit = la.Limit(iterations=int(iterations))

    # A hint: any position of the game will do. The hint sees what the deciding seat sees, never more.
    turn = next(t for t, (state, _) in enumerate(record.replay()) if state.round == 3 and state.decision == "travel")
    view = record.state(turn).view(hands="known")
    analysis = la.analyse(view, limit, seed=1)
    print(f"Event {turn}: {record.names[analysis.seat]} chooses a town.")
    for sentence in la.hints.explain(analysis, view, names=record.names).sentences:
        print(" ", sentence)

    # The same for the move that was played.
    played = record.events[turn]["move"]
    print(f"Played was {played}, which loses {analysis[played].loss:.1%} of the win.")

    # A review of one player's decisions, those that got a mark looked at again.
    review = la.review(record, limit, seats=[0], seed=1, deepen=True, samples=6, luck_iterations=40)
    total = review.summary(0)
    print(f"{record.names[0]}: {total.marked} of {total.decisions} decisions are marked, {total.loss:.1%} lost in all.")
    for decision in review.marked:
        mark, loss, better = review.mark(decision), f"{decision.loss:.1%}", decision.best.move
        print(f"  event {decision.turn}: {mark}, {decision.move} lost {loss} against {better}")
    if review.adjusted is not None:
        luck, error = review.win_luck(0)
        print(f"Luck brought {luck:+.1%} (± {error:.1%}); the result without it is {review.adjusted[0]:.1%}.")

    Path(page).write_text(la.report.html(review, record), encoding="utf-8")
    print(f"The whole review is in {page}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
