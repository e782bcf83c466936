# %% [markdown]
# # A game in pictures
#
# Run this file as a script, or cell by cell in an editor that knows `# %%`. It needs matplotlib:
# `pip install "lusatia-ai[examples]"`. As a script it takes two arguments, a folder for the pictures and the iterations
# for each decision.

# %%
import sys
from pathlib import Path

import matplotlib

if __name__ == "__main__" and "ipykernel" not in sys.modules:
    matplotlib.use("Agg")
import matplotlib.pyplot as plt

import lusatia_ai as la
from lusatia_ai.sources import SOURCES, favour_sources

OUTPUT = Path(sys.argv[1] if len(sys.argv) > 1 and "ipykernel" not in sys.modules else ".")
ITERATIONS = int(sys.argv[2]) if len(sys.argv) > 2 and "ipykernel" not in sys.modules else 300
GAME = Path(__file__).parent / "games" / "three_players.json"

record = la.Record.load(GAME, strict=True)
review = la.review(record, la.Limit(iterations=ITERATIONS), seed=1, samples=4, luck_iterations=20)
record.state(40)  # in a notebook this draws the table

# %% [markdown]
# ## Who was ahead?

# %%
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
timeline = review.timeline()
for seat in range(review.humans):
    colour = la.svg.seat_colour(seat)
    turns, shares = [turn for turn, _ in timeline], [value[seat] for _, value in timeline]
    axes.plot(turns, shares, color=colour, label=record.names[seat])
for decision in review.marked:
    axes.plot(decision.turn, decision.best.value[decision.seat], "o", color=la.svg.seat_colour(decision.seat))
axes.set(xlabel="event", ylabel="win share", ylim=(0, 1), title="Win share; dots are marked decisions")
axes.legend()
figure.savefig(OUTPUT / "win_share.png")

# %% [markdown]
# ## Where did the favour come from?

# %%
figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
gained, paid = [0] * review.humans, [0] * review.humans  # where the next bar begins: to the right, to the left of 0
for source in SOURCES:
    amounts = [entry[source] for entry in favour_sources(record)]
    left = [more if amount > 0 else less for amount, more, less in zip(amounts, gained, paid, strict=True)]
    axes.barh(record.names[: review.humans], amounts, left=left, label=source)
    gained = [start + max(0, amount) for start, amount in zip(gained, amounts, strict=True)]
    paid = [start + min(0, amount) for start, amount in zip(paid, amounts, strict=True)]
axes.axvline(0, color="black", linewidth=0.8)
axes.set(xlabel="favour", title="Favour by source; what was paid is left of 0")
figure.legend(ncols=len(SOURCES), fontsize="small", loc="outside lower center")
figure.savefig(OUTPUT / "favour.png")

# %% [markdown]
# ## Who lost how much, and where?

# %%
figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
stages = ("bidding", "taxes", "storing")
for index, stage in enumerate(stages):
    losses = [review.summary(seat, stage).loss for seat in range(review.humans)]
    axes.bar([seat + 0.25 * (index - 1) for seat in range(review.humans)], losses, width=0.25, label=stage)
axes.set_xticks(range(review.humans), record.names[: review.humans])
axes.set(ylabel="win share lost", title="Losses by stage")
axes.legend()
figure.savefig(OUTPUT / "losses.png")
print(f"win_share.png, favour.png and losses.png are in {OUTPUT.resolve()}")
