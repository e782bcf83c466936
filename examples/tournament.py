"""A small tournament between bots of three kinds, and what it says about their strength.

python examples/tournament.py
"""

from lusatia_ai.arena import run_match

match = run_match(["level5", "greedy", "random"], games=12, seed=1)

for row in match.standings:
    share = row.win_share
    print(f"{row.name:<8} wins {share.value:5.1%}  favour {row.favour.value:5.1f}  place {row.rank.value:.2f}")
best = match.standings[0].name
print(f"{best} was best in {len(match.games)} games, each seating played with the same luck")
