// Pointing at things: a card that tells what something is. A mouse shows it in passing, a click or a tap keeps it.
//
//   const about = new About(document.querySelector("#about"), (what) => ({ title, lines, marks }));
//   about.watch(element, (event) => what);    // what is pointed at there: a text of the page's own, "" for nothing
//   about.show(what, { left, top }, true);    // from a script
//   about.refresh();                          // what is told may have changed
//
// `marks` are squares that belong to it; `onMark` is told which ones are shown.

// What the markup under a pointer says that it is, in an attribute.
const pointedAt = (event) => event.target.closest("[data-about]")?.dataset.about ?? "";

class About {
  constructor(card, tell, onMark = () => {}) {
    this.card = card;
    this.tell = tell;
    this.onMark = onMark;
    this.title = htmlElement("h2", "", card);
    this.close = htmlElement("button", "close", card, "×");
    this.close.type = "button";
    this.close.setAttribute("aria-label", "Close");
    this.list = htmlElement("ul", "", card);
    this.title.id = `${card.id}-title`;
    this.list.id = `${card.id}-list`;
    card.setAttribute("aria-labelledby", this.title.id);
    card.setAttribute("aria-describedby", this.list.id);
    this.opener = null; // the button that was pressed by a key: it gets the focus back
    this.what = "";
    this.kept = false;
    this.close.addEventListener("click", () => this.hide());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
  }

  watch(element, find) {
    let waiting = 0;
    element.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "mouse" || event.buttons || this.kept) return;
      const what = find(event);
      if (what === this.next) return;
      this.next = what;
      clearTimeout(waiting);
      if (!what) return this.hide();
      waiting = setTimeout(() => !this.kept && this.show(what, { left: event.clientX, top: event.clientY }), this.what ? 60 : 280);
    });
    element.addEventListener("pointerleave", () => {
      clearTimeout(waiting);
      this.next = "";
      if (!this.kept) this.hide();
    });
    element.addEventListener("click", (event) => {
      const what = find(event);
      clearTimeout(waiting);
      if (!what || (this.kept && what === this.what)) return this.hide();
      const box = event.target.getBoundingClientRect();
      const byKey = event.detail === 0; // a button that was pressed by a key has no pointer
      this.show(what, byKey ? { left: box.left, top: box.bottom } : { left: event.clientX, top: event.clientY }, true);
      this.opener = byKey ? event.target.closest("button") : null;
      if (byKey) this.close.focus();
    });
  }

  show(what, at, keep = false) {
    this.what = what;
    this.kept = keep;
    this.at = at;
    this.card.classList.toggle("kept", keep);
    this.card.hidden = false;
    this.refresh();
  }

  hide() {
    this.what = this.next = "";
    this.kept = false;
    if (this.card.hidden) return;
    const focused = this.card.contains(document.activeElement);
    if (focused) document.activeElement.blur();
    this.card.hidden = true;
    if (focused) this.opener?.focus();
    this.onMark([]);
  }

  refresh() {
    if (!this.what) return;
    const told = this.tell(this.what);
    if (!told) return this.hide();
    setText(this.title, told.title);
    const said = told.lines.join("\n");
    if (said !== this.said) {
      this.said = said;
      this.list.replaceChildren(...told.lines.map((line) => htmlElement("li", "", null, line)));
    }
    this.onMark(told.marks ?? []);
    this.#place();
  }

  // Beside the pointer, inside the window.
  #place() {
    const { width, height } = this.card.getBoundingClientRect();
    const gap = 14;
    const left = this.at.left + gap + width < innerWidth ? this.at.left + gap : Math.max(4, this.at.left - gap - width);
    const top = this.at.top + gap + height < innerHeight ? this.at.top + gap : Math.max(4, this.at.top - gap - height);
    setStyle(this.card, "left", `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`);
    setStyle(this.card, "top", `${Math.max(4, Math.min(top, innerHeight - height - 4))}px`);
  }

  get words() {
    return [this.title.textContent, ...[...this.list.children].map((line) => line.textContent)].join(". ");
  }
}
