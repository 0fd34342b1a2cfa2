"""An order has one name in components of actions, records, events and documents."""

from __future__ import annotations

import re

from combinations import for_each
from conftest import ROOT

from rr_gym.encoding.act import components
from rr_gym.encoding.act.components import COMPONENTS, KIND, NUM_BASE, Component
from rr_gym.encoding.observe.elements import MORE_CARDS
from rr_gym.encoding.orders.orders import FIELDS
from rr_gym.rules.state.events import EVENT_NAMES
from rr_gym.rules.state.order_table import ORDERS
from rr_gym.rules.state.records import Decisions, OrdersRecord, RobotState, ShortOrders

each = for_each(COMPONENTS, lambda component: component.name)
# What the record has besides: the program is no order by name, `conditional` has two values, and players do not say
# that they are late.
PROGRAM, REGISTER, LATE = "program", "conditional_register", "late"


def test_records_name_orders_by_their_words() -> None:
    assert {*OrdersRecord.fields} == {*ORDERS, PROGRAM, REGISTER, LATE} == {*FIELDS, REGISTER, LATE}
    assert {*Decisions.fields} < {*OrdersRecord.fields}
    assert {*ShortOrders.fields} < {*OrdersRecord.fields}


@each
def test_a_component_has_the_name_of_its_order(component: Component) -> None:
    assert component.orders in ORDERS
    assert re.fullmatch(f"{component.orders}(_[a-z0-9]+)?", component.name)
    assert component.name == component.orders or component.name not in ORDERS
    assert component.per_register == ORDERS[component.orders].per_register


@each
def test_kernels_know_a_component_by_its_name(component: Component) -> None:
    assert getattr(components, component.name.upper()) == COMPONENTS.index(component)


def test_every_order_has_a_component() -> None:
    assert {component.orders for component in COMPONENTS} == ORDERS.keys()
    assert len({component.name for component in COMPONENTS}) == len(COMPONENTS)


def test_components_of_option_cards_come_last() -> None:
    """Every component before them is one decision, so that it has the same number among optional components."""
    assert [component.of_cards for component in COMPONENTS] == sorted(component.of_cards for component in COMPONENTS)
    assert KIND[:NUM_BASE].tolist() == list(range(NUM_BASE))


def test_the_documents_have_all_components_in_their_order() -> None:
    """Trained policies depend on the order: a new component comes last in its table."""
    cells = re.findall(r"^\| (`.*?)\|", (ROOT / "docs" / "actions.md").read_text("utf-8"), re.MULTILINE)
    table = (ROOT / "docs" / "options.md").read_text("utf-8").partition("## Orders")[2]
    cells[1:] += [line.split(" | ")[-2] for line in table.splitlines() if line.startswith("| ") and "`" in line]
    documented = [re.findall(r"`(\w+)`", cell)[0] for cell in cells]
    assert documented == ["register_1", *(f"{c.name}_r" if c.per_register else c.name for c in COMPONENTS)]
    assert ["*" in cell for cell in cells[1:]] == [c.rare for c in COMPONENTS]


def test_events_and_fields_of_an_order_have_its_name() -> None:
    assert {"second", "gadget", "movement_option", "weapon", "damping"} <= ORDERS.keys() & {*EVENT_NAMES}
    assert {re.sub(r"_\d$", "", name) for name in MORE_CARDS} <= ORDERS.keys()
    assert {"second", "conditional", "flywheel", "copter"} <= ORDERS.keys() & {*RobotState.fields}
