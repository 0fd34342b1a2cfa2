// Orders: the program, and a control for every other order with the values that are legal now.

const NUM_REGISTERS = 5;
let program = Array(NUM_REGISTERS).fill(null); // cards as orders name them
let chosen = {}; // other orders that are not left to their defaults

// The registers for which cards are wanted.
const open = () => (state.programs ? state.locked.flatMap((card, r) => (card === null ? [r] : [])) : []);
const complete = () => open().every((r) => program[r] !== null);

function add(card) {
  const free = open().find((r) => program[r] === null);
  if (free === undefined) return refuse("All registers are full: click one of them to take its card back.");
  put(free, card);
}

function put(register, card) {
  program[register] = card;
  ordersChanged();
}

// Puts a card into a register, or back into the hand (-1). Two registers change their cards.
function move(card, register) {
  const from = program.indexOf(card);
  if (register < 0) return from < 0 || put(from, null);
  if (from >= 0) program[from] = program[register];
  put(register, card);
}

function order(control, value) {
  if (JSON.stringify(value) === JSON.stringify(control.default)) delete chosen[control.name];
  else chosen[control.name] = value;
  ordersChanged();
}

const refuse = (text) => (byId("error").textContent = text);
const orders = () => ({ ...(state.programs ? { program } : {}), ...chosen });

// A page that is loaded again finds its orders, as long as its turn and its hand are the same.
const draftKey = () => `draft ${location.pathname} ${state.turn} ${state.hand.map(({ card }) => card)}`;

function recallOrders() {
  const draft = JSON.parse(kept(sessionStorage, "draft") ?? "{}");
  const mine = draft.key === draftKey();
  program = mine ? draft.program : Array(NUM_REGISTERS).fill(null);
  chosen = mine ? draft.chosen : {};
}

function ordersChanged() {
  refuse("");
  keep(sessionStorage, "draft", JSON.stringify({ key: draftKey(), program, chosen }));
  showHand();
  showStatus();
  showRobots(shown);
  clearTimeout(previewTimer);
  if (program.every((card) => card === null) && !Object.keys(chosen).length) return clearGhost();
  previewTimer = setTimeout(preview, 60);
}

function select(values, now, name, change) {
  const list = htmlElement("select", "");
  list.setAttribute("aria-label", name);
  values.forEach(([value, text], i) => {
    const option = htmlElement("option", "", list, text);
    option.value = i;
    option.selected = JSON.stringify(value) === JSON.stringify(now);
  });
  list.disabled = !mayOrder();
  list.addEventListener("change", () => change(values[Number(list.value)][0]));
  return list;
}

const makeControl = {
  one(box, control) {
    const now = chosen[control.name] ?? control.default;
    const isSwitch = control.values.every(([value]) => typeof value === "boolean");
    const label = htmlElement("label", "", box);
    if (isSwitch) {
      const tick = htmlElement("input", "", label);
      tick.type = "checkbox";
      tick.name = control.name;
      tick.checked = now;
      tick.disabled = !mayOrder();
      tick.addEventListener("change", () => order(control, tick.checked));
      htmlElement("span", "", label, control.label);
    } else {
      htmlElement("span", "", label, control.label);
      label.append(select(control.values, now, control.label, (value) => order(control, value)));
    }
  },
  registers(box, control) {
    htmlElement("span", "", box, control.label);
    const now = () => chosen[control.name] ?? Array(NUM_REGISTERS).fill(control.default);
    for (let r = 0; r < NUM_REGISTERS; r++) {
      const change = (value) => {
        const values = now().map((held, i) => (i === r ? value : held));
        if (values.every((held) => held === control.default)) delete chosen[control.name], ordersChanged();
        else order(control, values);
      };
      const label = htmlElement("label", "", box);
      htmlElement("small", "", label, r + 1);
      label.append(select(control.values, now()[r], `${control.label}, register ${r + 1}`, change));
    }
  },
  list(box, control) {
    htmlElement("span", "", box, control.label);
    const values = [[null, "no more"], ...control.values];
    const now = () => chosen[control.name] ?? [];
    for (let i = 0; i < control.slots; i++) {
      const change = (value) => {
        const list = [...now(), ...Array(control.slots).fill(null)].slice(0, control.slots);
        list[i] = value;
        const kept = list.filter((held) => held !== null);
        if (kept.length) order(control, kept);
        else delete chosen[control.name], ordersChanged();
        showControls();
      };
      box.append(select(values, now()[i] ?? null, `${control.label}, ${i + 1}`, change));
    }
  },
  conditional(box, control) {
    htmlElement("span", "", box, control.label);
    const now = () => chosen[control.name] ?? { card: null, register: 0 };
    const change = (part) => {
      const value = { ...now(), ...part };
      order(control, value.card === null ? null : value);
    };
    const cards = [[null, "no card"], ...control.values];
    const numbers = Array.from({ length: NUM_REGISTERS }, (_, r) => [r + 1, `register ${r + 1}`]);
    const registers = [[0, "only stored"], ...numbers];
    box.append(
      select(cards, now().card, `${control.label}, card`, (card) => change({ card })),
      select(registers, now().register, `${control.label}, register`, (register) => change({ register })),
    );
  },
};
const IN_FRONT = ["power_down", "stay_down", "facing"]; // always to be seen

function showControls() {
  byId("switches").replaceChildren();
  byId("controls").replaceChildren();
  for (const control of state.controls) {
    const front = IN_FRONT.includes(control.name) && (control.name !== "stay_down" || state.down || !state.hand.length);
    const box = front ? htmlElement("span", "", byId("switches")) : htmlElement("div", "control", byId("controls"));
    makeControl[control.shape](box, control);
    if (!front) htmlElement("p", "", box, control.about);
    else box.title = control.about;
  }
  byId("more").hidden = !byId("controls").firstChild;
}
