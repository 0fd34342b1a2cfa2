// A board that can be looked at closely: by buttons, by two fingers, and by the wheel with Ctrl. Where it is larger than
// its frame it scrolls.
//
//   new Zoom(board, { frame, scroller, buttons });   // frame has the size that the board fits into at first
//
// `buttons` contains buttons with data-zoom: in, out, fit.

class Zoom {
  static MOST = 4;
  static STEP = 1.4;

  constructor(board, { frame, scroller, buttons }) {
    this.board = board;
    this.scroller = scroller;
    this.buttons = buttons;
    this.scale = 1;
    board.fit(frame);
    buttons.addEventListener("click", (event) => {
      const kind = event.target.closest("[data-zoom]")?.dataset.zoom;
      if (kind) this.zoom(kind === "fit" ? 1 : kind === "in" ? this.scale * Zoom.STEP : this.scale / Zoom.STEP);
    });
    scroller.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(this.scale * Math.exp(-event.deltaY / 300), [event.clientX, event.clientY]);
    }, { passive: false });
    this.#pinch();
    this.zoom(1);
  }

  // A scale from 1, where all of the board is seen. What lies at a point of the window stays there.
  zoom(scale, [x, y] = this.#middle()) {
    const before = this.board.root.getBoundingClientRect();
    const [across, down] = [(x - before.left) / before.width, (y - before.top) / before.height];
    this.scale = Math.min(Zoom.MOST, Math.max(1, scale));
    this.board.magnify(this.scale);
    const after = this.board.root.getBoundingClientRect();
    this.scroller.scrollLeft += after.left + across * after.width - x;
    this.scroller.scrollTop += after.top + down * after.height - y;
    for (const button of this.buttons.querySelectorAll("[data-zoom]")) {
      button.disabled = button.dataset.zoom === "in" ? this.scale === Zoom.MOST : this.scale === 1;
    }
  }

  #middle() {
    const { left, top, width, height } = this.scroller.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  }

  #pinch() {
    let last = null; // how far the fingers were apart
    const end = () => (last = null);
    this.scroller.addEventListener("touchmove", (event) => {
      if (event.touches.length !== 2) return end();
      event.preventDefault();
      const [one, two] = event.touches;
      const apart = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
      const middle = [(one.clientX + two.clientX) / 2, (one.clientY + two.clientY) / 2];
      if (last) this.zoom((this.scale * apart) / last, middle);
      last = apart;
    }, { passive: false });
    this.scroller.addEventListener("touchend", end);
    this.scroller.addEventListener("touchcancel", end);
  }
}
