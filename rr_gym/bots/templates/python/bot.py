"""A bot for RoboRally: it reads turns from its standard input, and writes orders to its standard output.

It tries every program of its hand as if it were alone, and plays the one that ends nearest to its next flag. Improve
`cost`, which says how bad an end is, or look at `view["robots"]`, where the others are.
"""

import json
import sys

from tables import Map, kind


def cost(course, square, flag, registers):
    """Return how bad it is to end on a square after some registers; the lowest cost is best."""
    return course.distances(flag).get(square, 1000) + registers / 10


def decide(turn, course):
    """Return the orders for a turn."""
    legal, view = turn["legal"], turn["view"]
    own = view["robots"][turn["seat"]]
    orders = {"power_down": legal["power_down"] and own["damage"] >= 6}
    if not legal["registers"] or own["square"] is None or not view["flags"]:
        return orders
    flag = tuple(view["flags"][min(own["flag"], len(view["flags"]) - 1)])
    best = None
    for facing in legal["facing"] or [own["facing"]]:
        ends = {(tuple(own["square"]), facing, ()): []}  # where programs lead: square, facing, cards used by kind
        for register in range(5):
            later = {}
            for (square, looking, used), cards in ends.items():
                for card in choices(own, legal, register, used):
                    end = course.phase(square, looking, card)
                    if end is None:
                        continue
                    open_one = own["registers"][register] is None
                    now = tuple(sorted((*used, card))) if open_one else used
                    longer = [*cards, card if open_one else None]
                    later.setdefault((*end, now), longer)
                    if end[0] == flag:  # it touches the flag now; the later open registers get random cards
                        rank = (-1000 + register, 0)
                        if best is None or rank < best[0]:
                            best = rank, facing, longer
            ends = later or ends
            if not later:
                break
        for (square, _, _), cards in ends.items():
            rank = (cost(course, square, flag, len(cards)), 5 - len(cards))
            if best is None or rank < best[0]:
                best = rank, facing, cards
    if best:
        orders["program"] = (best[2] + [None] * 5)[:5]
        if legal["facing"]:
            orders["facing"] = best[1]
    return orders


def choices(own, legal, register, used):
    """Return the cards for a register: a locked one has its own, an open one the first unused card of each kind."""
    if own["registers"][register] is not None:
        return [own["registers"][register]]
    by_kind = {}
    for card in legal["cards"]:
        if card not in used and not (register == 0 and legal["first_card_moves"] and kind(card)[0] not in "mb"):
            by_kind.setdefault(kind(card), card)
    return by_kind.values()


def main():
    """Answer line by line, until the input ends."""
    courses = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "course":
            courses[message["course"]] = Map(message)
        elif message["type"] == "turn":
            orders = decide(message, courses[message["course"]])
            print(json.dumps({"id": message["id"], "orders": orders}), flush=True)
        elif message["type"] == "error":  # the last turn was lost
            print(message["message"], file=sys.stderr)


if __name__ == "__main__":
    main()
