// The hand and the registers.

function cardText(button, card, below) {
  const { glyph, name, priority } = card;
  button.title = game.card_sentences[name] ?? "";
  htmlElement("b", "", button, glyph).setAttribute("aria-hidden", "true");
  htmlElement("span", "name", button, name);
  htmlElement("small", "", button, below ?? String(priority));
}

const NO_CARD = { glyph: "", name: "no card", priority: "" }; // in a register that was locked without one
const cardOfPriority = (priority) => game.cards.find((card) => String(card?.priority) === priority) ?? NO_CARD;
const cardOf = (name) => [...state.hand, ...Object.values(state.mates).flat()].find(({ card }) => card === name);

function showHand() {
  const registers = byId("registers");
  const focused = document.activeElement?.dataset?.key;
  registers.replaceChildren();
  registers.hidden = !state.hand.length && !state.locked.some((card) => card !== null);
  for (let r = 0; r < NUM_REGISTERS; r++) showRegister(htmlElement("li", "", registers), r);
  byId("hand-hint").hidden = !state.programs || !mayOrder();
  const hand = byId("hand");
  hand.replaceChildren();
  state.hand.forEach((held, i) => showCard(hand, held, i + 1));
  const mates = byId("mates");
  mates.replaceChildren();
  let number = state.hand.length;
  for (const [seat, cards] of Object.entries(state.mates)) {
    htmlElement("p", "hint", mates, `Cards of ${game.names[seat]}, which you share`);
    const list = htmlElement("ul", "mate", mates);
    for (const held of cards) showCard(list, held, ++number);
  }
  if (state.stored) htmlElement("p", "hint", mates, `On your Flywheel: ${cardWords(game.cards[state.stored.number])}`);
  if (focused) document.querySelector(`[data-key="${focused}"]`)?.focus();
}

function showRegister(item, r) {
  const button = htmlElement("button", "", item);
  button.type = "button";
  button.dataset.key = `register-${r}`;
  htmlElement("span", "unseen", button, `register ${r + 1}: `);
  const held = program[r] && cardOf(program[r]);
  button.disabled = !held || !mayOrder();
  if (state.locked[r] !== null) {
    button.className = "full locked";
    const card = cardOfPriority(state.locked[r].split("@")[1]);
    cardText(button, card, `${card.priority} locked`.trim());
  } else if (held) {
    button.className = "full";
    button.dataset.card = held.card;
    cardText(button, game.cards[held.number]);
    button.setAttribute("aria-describedby", "move-hint");
    button.addEventListener("click", () => put(r, null));
    button.addEventListener("keydown", (event) => shift(event, r));
  } else {
    htmlElement("span", "place", button, `${r + 1}`).setAttribute("aria-hidden", "true");
    htmlElement("span", "unseen", button, "empty");
  }
}

// Left and right move the card of a register to the next open one.
function shift(event, r) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const places = open();
  const to = places[places.indexOf(r) + step];
  if (to === undefined) return;
  move(program[r], to);
  document.querySelector(`[data-key="register-${to}"]`).focus();
}

function showCard(list, held, number) {
  const card = game.cards[held.number];
  const button = htmlElement("button", "", htmlElement("li", "", list));
  button.type = "button";
  button.dataset.key = `card-${held.card}`;
  button.dataset.card = held.card;
  const used = program.includes(held.card);
  button.setAttribute("aria-pressed", String(used));
  cardText(button, card);
  if (number < 10) htmlElement("kbd", "", button, number);
  button.disabled = !mayOrder() || !state.programs;
  button.addEventListener("click", () => (used ? put(program.indexOf(held.card), null) : add(held.card)));
}
