// Cards are dragged with a mouse, a pen or a finger: from the hand to a register, between registers, and back.

const LIFT = 6; // pixels that a pointer moves before a press becomes a drag
let drag = null; // the card that is held: its button, where the pointer went down, and the picture that follows it

const registerAt = ({ clientX, clientY }) => {
  const item = document.elementFromPoint(clientX, clientY)?.closest("#registers li");
  const register = item ? [...item.parentNode.children].indexOf(item) : -1;
  return open().includes(register) ? register : -1;
};

function lift() {
  const { left, top, width, height } = drag.button.getBoundingClientRect();
  const ghost = drag.button.cloneNode(true);
  ghost.className = "dragged";
  ghost.setAttribute("aria-hidden", "true");
  Object.assign(ghost.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  document.body.append(ghost);
  document.body.classList.add("dragging");
  drag.ghost = ghost;
}

function letGo() {
  drag?.ghost?.remove();
  drag = null;
  document.body.classList.remove("dragging");
  pointAt(-1);
}

function pointAt(register) {
  [...byId("registers").children].forEach((item, r) => item.classList.toggle("target", r === register));
}

document.addEventListener("pointerdown", (event) => {
  const button = event.target.closest("#orders button[data-card]");
  if (!button || button.disabled || event.button || drag) return;
  drag = { button, card: button.dataset.card, x: event.clientX, y: event.clientY, pointer: event.pointerId, ghost: null };
});

document.addEventListener("pointermove", (event) => {
  if (event.pointerId !== drag?.pointer) return;
  const [across, down] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.ghost && Math.hypot(across, down) < LIFT) return;
  if (!mayOrder()) return letGo();
  if (!drag.ghost) lift();
  drag.ghost.style.transform = `translate(${across}px, ${down}px) rotate(2deg)`;
  pointAt(registerAt(event));
});

document.addEventListener("pointerup", (event) => {
  if (event.pointerId !== drag?.pointer) return;
  const { ghost, card } = drag;
  letGo();
  if (!ghost) return; // a click, which the button itself answers
  addEventListener("click", stop, { capture: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }));
  if (mayOrder()) move(card, registerAt(event));
});
document.addEventListener("pointercancel", letGo);
document.addEventListener("keydown", (event) => event.key === "Escape" && letGo());

function stop(event) {
  event.stopPropagation();
  event.preventDefault();
}
