// The seats: who sits there, and the link and code of each person.

const PERSON = "human";
const ME = "me"; // the person who sets up the game, in the list of a seat
const WATCHER = "-1";
let opened = new Set(); // whose links are shown

// Written again only where something has changed: what is being typed or looked at stays.
function showSeats() {
  const list = byId("seats");
  const key = JSON.stringify([lobby.plan.seats, lobby.plan.host_seat, lobby.names, lobby.links]);
  if (list.shownKey === key) return;
  list.shownKey = key;
  const focused = document.activeElement?.dataset?.seat;
  opened = new Set([...list.querySelectorAll("details[open]")].map((details) => details.dataset.who));
  list.replaceChildren();
  lobby.plan.seats.forEach((player, seat) => showSeat(htmlElement("li", "", list), player, seat));
  if (focused !== undefined) list.querySelector(`select[data-seat="${focused}"]`)?.focus();
  byId("more-seats").disabled = lobby.plan.seats.length >= choices.most_robots;
  byId("fewer-seats").disabled = lobby.plan.seats.length <= 1;
  if (!byId("watch-link").firstChild && lobby.links[WATCHER]) showLink(byId("watch-link"), WATCHER);
  byId("only-here").hidden = !/^(127\.|localhost|\[::1\])/.test(new URL(lobby.address).hostname);
}

function showSeat(item, player, seat) {
  const mine = seat === lobby.plan.host_seat;
  htmlElement("b", "number", item, seat + 1);
  const select = htmlElement("select", "", item);
  select.setAttribute("aria-label", `Robot ${seat + 1}`);
  select.dataset.seat = seat;
  const people = [[ME, "you"], [PERSON, "a person"]];
  for (const [value, text] of [...people, ...choices.players.map(({ name }) => [name, name])]) {
    const option = htmlElement("option", "", select, text);
    option.value = value;
    option.selected = value === (mine ? ME : player);
  }
  select.title = choices.players.find(({ name }) => name === player)?.doc ?? "";
  select.addEventListener("change", () => sit(seat, select.value));
  if (player !== PERSON) return htmlElement("small", "doc", item, select.title.split(";")[0]);
  const name = lobby.names[seat] ?? "";
  if (mine) return showOwnName(item, name);
  if (name) htmlElement("span", "called", item, name);
  showLink(item, String(seat));
}

function showOwnName(item, name) {
  const field = htmlElement("input", "own-name", item);
  Object.assign(field, { value: name, maxLength: 24, placeholder: "your name", autocomplete: "nickname" });
  field.setAttribute("aria-label", "Your name");
  field.addEventListener("change", () => attempt("error", () => ask("name", { name: field.value })));
}

function sit(seat, value) {
  const { seats, host_seat: before } = lobby.plan;
  const host = value === ME ? seat : before === seat ? -1 : before;
  change({ seats: seats.map((player, i) => (i === seat ? (value === ME ? PERSON : value) : player)), host_seat: host });
}

function showLink(box, who) {
  const path = lobby.links[who];
  if (!path) return;
  const link = `${lobby.address}/${path}`;
  const details = htmlElement("details", "link", box);
  details.dataset.who = who;
  details.open = opened.has(who);
  htmlElement("summary", "", details, who === WATCHER ? "Link and code" : `Link of robot ${Number(who) + 1}`);
  const field = htmlElement("input", "", details);
  Object.assign(field, { readOnly: true, value: link });
  field.setAttribute("aria-label", "Link");
  field.addEventListener("focus", () => field.select());
  const copy = htmlElement("button", "", details, "Copy");
  copy.type = "button";
  copy.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(link);
      copy.textContent = "Copied";
    } catch {
      // Without encryption browsers keep the clipboard to themselves: the link is selected.
    }
  });
  const code = htmlElement("img", "code", details);
  Object.assign(code, { alt: `A code that leads to ${link}`, loading: "lazy", src: `code/${who}.svg` });
}

byId("more-seats").addEventListener("click", () => change({ seats: [...lobby.plan.seats, lobby.plan.seats.at(-1)] }));
byId("fewer-seats").addEventListener("click", () => {
  const seats = lobby.plan.seats.slice(0, -1);
  const { host_seat: host } = lobby.plan;
  change({ seats, host_seat: host < seats.length ? host : -1 });
});
