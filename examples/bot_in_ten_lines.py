"""A bot in ten lines: a player with a name and a choice, in a match against one of the library's own."""

import lusatia_ai as la


class Tallyman:
    """Looks one move ahead in a world that its view allows, and takes the move that leaves it richest."""

    name = "tallyman"

    def choose(self, view, limit=None):
        world = view.sample(seed=1)
        return la.players.PlayResult(
            max(view.legal_moves(), key=lambda move: world.clone().apply(move).favour[view.seat_to_act])
        )


if __name__ == "__main__":
    state, bots = la.State.new(la.Variant(humans=3), seed=7), [Tallyman(), la.players.RandomPlayer(1), Tallyman()]
    while not state.is_over:
        state.apply(bots[state.seat_to_act].choose(state.view()).move)
    for seat, bot in enumerate(bots):
        print(f"seat {seat}, {bot.name}: {state.favour[seat]} favour{' - wins' if seat in state.winners else ''}")
