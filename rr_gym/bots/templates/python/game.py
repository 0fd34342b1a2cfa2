"""The conversation with the game: what it says, and what a bot may ask. Only the standard library is needed."""

import json
import sys

NOWHERE = -1  # in place of the state of a robot that has been destroyed


class CourseTables:
    """The tables of a course: where a card leads, and how far it is from there.

    A state is where a robot stands and faces: 4 * (width * y + x) + its facing, 0 to 3 clockwise from the north. `turn`
    messages say the state of the own robot, and the tables know all walls, belts, pits and other elements.
    """

    def __init__(self, message):
        self.message = message
        self.width = message["size"][0]
        tables = message["tables"]
        self.turns_to_go = tables["turns_to_go"]
        self.steps = [tables["steps"][number] for number in tables["steps_of_phase"]]
        self.flags = [x + y * self.width for x, y in message["flags"]]

    def after(self, state, phase, kind):
        """Return the state of a robot alone after it plays a card in a phase (1 to 5); NOWHERE if it is destroyed."""
        return self.steps[phase - 1][kind][state]

    def turns(self, state, flag):
        """Return how many turns a robot alone needs on average to the last flag, if it has touched `flag` of them."""
        return self.turns_to_go[flag][state] if flag < len(self.turns_to_go) else 0.0


def kind(card):
    """Return the kind of a card: "move_1" of "move_1@490"."""
    return card.partition("@")[0]


class Turn:
    """A turn in which the bot is asked for its orders.

    `message` has all that is known, `course` the tables; docs/protocol.md describes every field.
    """

    def __init__(self, message, course, seat):
        self.message, self.course, self.seat = message, course, seat
        self.legal, self.view = message["legal"], message["view"]
        self.robot = self.view["robots"][seat]
        self.state = message["state"]

    def preview(self, several):
        """Ask the game where several orders lead, if nobody else were on the board. It costs time of this turn.

        Returns a list of answers: {"phases": [...], "end": {...}}, or {"error": ...} for orders that are not legal. It
        is empty if the time is up.
        """
        say({"id": self.message["id"], "preview": several})
        for message in hear():
            mine = message.get("id") == self.message["id"]
            if mine and message["type"] == "preview":
                return message["results"]
            later.append(message)
            if mine and message["type"] == "error":
                break
        return []


later = []  # messages that came while the bot waited for a preview


def hear():
    """Yield the messages of the game until its end."""
    for line in sys.stdin:
        yield json.loads(line)


def say(message):
    """Write one line to the game. Nothing else may be printed; `print(..., file=sys.stderr)` is free."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def play(decide):
    """Play: call `decide` with every turn, and answer with the orders that it returns."""
    courses, games = {}, {}

    def handle(message):
        if message["type"] == "course":
            courses[message["course"]] = CourseTables(message)
        elif message["type"] == "game":
            games[message["game"]] = message
        elif message["type"] == "turn":
            game = games[message["game"]]
            turn = Turn(message, courses[game["course"]], game["seat"])
            say({"id": message["id"], "orders": decide(turn)})
        elif message["type"] == "end":
            games.pop(message["game"], None)
        elif message["type"] == "error":  # a decision was lost
            print(message["message"], file=sys.stderr)

    for message in hear():
        handle(message)
        while later:
            handle(later.pop(0))
