"""Pages are sent what their seat may see, and nothing else: not a byte depends on what is hidden."""

from __future__ import annotations

import re

import pytest
from option_games import FLOOR
from web_games import Page, cards, of_people, pages

from rr_gym.courses.course import Course
from rr_gym.game import Game, determinize
from rr_gym.play import HumanGame
from rr_gym.rules.state.cards import parse_card

EDGE = "grid:\n. @2 . . #1\n. . . . .\n. @1 . @3 .\n. . . . .\n"


def everything(page: Page) -> list[str]:
    """All that a page can ask for between two turns, without the tokens in its address."""
    page.received.clear()
    state = page.state()
    page.get("")
    page.get("course")
    page.get(f"floor/{state['floor']}")
    if state["played"]:
        page.get(f"floor/{state['played']['floor']}")
    if state["hand"]:
        page.post("preview", {"orders": {"program": cards(state)}})
        page.post("hint", {"player": "racer"})
        page.post("orders", {"turn": state["turn"], "orders": {"program": ["u_turn@5"] * 5}}, 400)
    page.get("replay.json", 409)
    page.get("replay.html", 409)
    return page.received


@pytest.mark.parametrize("seed", range(4))
def test_nothing_that_is_sent_depends_on_what_is_hidden(seed: int) -> None:
    """Deal anew what the seat cannot see: all answers stay as they are, also those in games with secret options."""
    settings = {"option_cards": "on", "game": "head_to_head", "start_options": 2} if seed % 2 else {}
    game = Game(Course.from_board(FLOOR, "floor"), 4, seed, settings)
    sent = []
    for version in (game, determinize(game, 1, seed=99), determinize(game, 1, seed=100)):
        with pages(of_people(version, 0, 1)) as (_, page):
            sent.append(everything(page))
    assert len(sent[0]) >= 8
    assert sent[0] == sent[1] == sent[2]


def swapped(game: Game, seat: int) -> Game:
    """Return the game with the last card of a seat's hand swapped for another one of its kind from the pile."""
    other = game.clone()
    hand, deck = other.record["robots"][seat]["hand"], other.record["deck"]
    last = int((hand > 0).sum()) - 1
    above = hand[last - 1]
    k = next(k for k in range(int(other.record["deck_left"])) if 0 < deck[k] < above and deck[k] != hand[last])
    hand[last], deck[k] = deck[k], hand[last]
    return other


def test_a_turn_that_is_sent_tells_no_card_that_was_not_played() -> None:
    """Another card that stays in a hand, other cards behind a robot's fall: pages of others receive the same."""
    game = Game(Course.from_board(EDGE, "edge"), 3, seed=4, settings={"lives": "unlimited"})
    game.record.robots[1].facing = 0  # off the board with its first card
    falls = next(card for card in game.hands[1] if card.startswith("move_"))
    left = [card for card in game.hands[1] if card != falls]
    sent = []
    for version, order in ((game.clone(), left[:4]), (game.clone(), left[3::-1]), (swapped(game, 1), left[:4])):
        with pages(of_people(version, 0, 1, 2)) as seats:
            for page in seats:
                mine = [falls, *order] if page.seat == 1 else cards(page.state())
                page.go({"program": mine})
            played = seats[0].state(newer=True)
            assert played["turn"] == 1
            story = dict(played["story"])
            assert any(line.startswith("human 2 plays Move") and "falls off" in line for line in story["phase 1"])
            sent.append(list(everything(seats[0])))
            own = seats[1].state()
            assert all(parse_card(card)[1] in own["played"]["frames"][0]["robots"]["1"]["registers"] for card in order)
    assert len(sent[0]) >= 8
    assert sent[0] == sent[1] == sent[2]


def test_cards_of_others_are_shown_from_the_phase_in_which_they_are_played() -> None:
    """A page knows nothing of a register before its phase, and the card afterwards."""
    table = HumanGame.seated("risky_exchange", ["human", "greedy", "random"], seed=8)
    with pages(table) as (page,):
        page.go({"program": cards(page.state())})
        played = page.state(newer=True)["played"]
    shown: dict[int, list[int]] = {}
    known = {int(seat): robot["registers"] for seat, robot in enumerate(played["robots"])}
    for frame in played["frames"]:
        for seat, robot in frame["robots"].items():
            known[int(seat)] = robot.get("registers", known[int(seat)])
        for seat in (1, 2):
            assert not any(known[seat][max(frame["phase"], 0) :]), "a card is shown before its phase"
        if phase := frame["phase"]:
            assert all(known[seat][phase - 1] for seat in (1, 2)), "a phase turns over all of its cards at once"
        shown = dict(known)
    programmed = {(e.robot, e.value - 1): e.target for e in table.events if e.kind == "programmed"}
    assert all(shown[seat][r] == programmed[seat, r] for seat in (1, 2) for r in range(5))


def test_neither_seed_nor_hands_nor_tokens_of_others_are_sent() -> None:
    """The words of a long-played page contain no card in another hand, no other token and no seed."""
    table = HumanGame.seated("risky_exchange", ["human", "human", "random"], seed=918273645, salt="abcdef0123456789")
    with pages(table) as (one, two):
        for _ in range(3):
            for page in (one, two):
                page.go({"program": cards(page.state())})
            two.state(newer=True)
            hands = table.game.hands
            others = {card for seat in (1, 2) for card in hands[seat]}
            text = one.get("state").text
            assert not any(card in text for card in others)
            assert set(re.findall(r"[a-z_0-9]+@\d+", text)) <= set(hands[0])
        said = "\n".join(one.received)
        assert "918273645" not in said
        assert "abcdef0123456789" not in said
        assert two.path.split("/")[2] not in said
