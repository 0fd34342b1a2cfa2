"""A bot for RoboRally. It plays as if it were alone: towards where the last flag is the fewest turns away.

It tries every program of its hand on the tables of the course, asks the game where the best ones really lead, with all
options and damage, and takes the best of these. Improve `value`, which says how bad an end is, or look at
`turn.view["robots"]`, where the others are.
"""

from game import NOWHERE, kind, play

PREVIEWS = 12  # programs that the game is asked about
MOVES = ("move_1", "move_2", "move_3", "back_up")


def value(course, state, flag, damage):
    """Return how bad it is to end a turn in a state with so many flags and points of damage; the least is best."""
    if state == NOWHERE or state is None:
        return 100.0 - flag
    return course.turns(state, flag) + damage / 4


def programs(turn, facing):
    """Return the programs of the hand with the best ends, as (value, cards), the best first.

    A flag that a program stops on is touched, and the next one counts.
    """
    course, robot, legal = turn.course, turn.robot, turn.legal["program"]
    start = turn.state if facing is None else turn.state // 4 * 4 + "nesw".index(facing)
    ends = {(start, robot["flag"], ()): []}  # where programs lead: state, flags, cards used; to the cards in order
    for register in range(1, 6):
        locked = robot["registers"][register - 1]
        longer = {}
        for (state, flag, used), cards in ends.items():
            for card in [locked] if locked else unused(legal, used, register):
                end = course.after(state, register, kind(card)) if state != NOWHERE else NOWHERE
                reached = flag
                if end != NOWHERE and flag < len(course.flags) and end // 4 == course.flags[flag]:
                    reached += 1
                now = used if locked else tuple(sorted((*used, card)))
                longer.setdefault((end, reached, now), [*cards, None if locked else card])
        ends = longer
    found = [(value(course, state, flag, robot["damage"]), cards) for (state, flag, _), cards in ends.items()]
    return sorted(found, key=lambda one: one[0])


def unused(legal, used, register):
    """Return the first unused card of each kind, since cards of one kind lead to the same."""
    kinds = {}
    for card in legal["cards"]:
        if card not in used and not (register == 1 and legal["first_card_moves"] and kind(card) not in MOVES):
            kinds.setdefault(kind(card), card)
    return kinds.values()


def decide(turn):
    """Return the orders for a turn."""
    orders = {}
    if turn.robot["damage"] >= 6 and "power_down" in turn.legal:
        orders["power_down"] = True
    if not turn.legal["program"]["registers"] or turn.state is None:
        return orders
    facings = turn.legal["facing"]["values"][1:] if "facing" in turn.legal else [None]
    best = []
    for facing in facings:
        for worth, cards in programs(turn, facing)[:PREVIEWS]:
            best.append((worth, {**orders, "program": cards, **({"facing": facing} if facing else {})}))
    best = sorted(best, key=lambda one: one[0])[:PREVIEWS]
    if not best:
        return orders
    answers = turn.preview([chosen for _, chosen in best])
    scored = [
        (value(turn.course, answer["end"]["state"], answer["end"]["flag"], answer["end"]["damage"]), number)
        for number, answer in enumerate(answers)
        if "end" in answer
    ]
    return best[min(scored)[1]][1] if scored else best[0][1]


if __name__ == "__main__":
    play(decide)
