"""Following a real table: people play, the program is told what happens, and advises one of them.

The record below was taken down by hand at a table of two people and an automa: first what was drawn, then move by
move. `la.State` waits at each chance event until it is told what came up, and refuses whatever cannot have happened, so
that a slip of the pen is noticed at once.
"""

import lusatia_ai as la

ME = 0  # the seat that wants advice


def table_talk():
    """What happened at the table, event by event. A program would ask for it; here a seed stands in for the people."""
    table = la.State.new(la.Variant(humans=2, automas=1), seed=11, chance="manual")
    player = la.players.GreedyPlayer(seed=3)
    while not table.is_over:
        event = table.sample_chance() if table.is_chance else player.choose(table.view()).move.text
        table.apply(event)
        yield event


def main():
    record = la.Record.new(la.Variant(humans=2, automas=1), names=["Ann", "Bob", "the automa"])
    state = record.state()
    asked = agreed = 0
    for event in table_talk():
        if state.seat_to_act == ME and len(state.legal_moves()) > 1:
            advice = la.search(state.view(ME, hands="known"), la.Limit(iterations=200), seed=asked).best
            asked += 1
            agreed += advice.text == event
            if asked <= 3:
                print(f"{state.decision}: Ann plays {event}; the search would play {advice}")
        record.append(event)
        state.apply(event)
    print(f"{len(record.events)} events; Ann did as the search would in {agreed} of {asked} decisions")
    print(f"favour {state.favour[0]} to {state.favour[1]}; winner: {', '.join(record.names[w] for w in state.winners)}")

    wrong = {"automa_card": "automa_3"}
    try:
        la.State.new(la.Variant(humans=2, automas=1), chance="manual").apply(wrong)
    except la.IllegalMoveError as error:
        print("A slip is noticed:", error)


if __name__ == "__main__":
    main()
