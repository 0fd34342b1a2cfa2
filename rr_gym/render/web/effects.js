// What flashes on a board in a frame: the effects of rr_gym.replay.effects, by kind.
const drawEffect = {
  beam(board, [x1, y1, x2, y2, colour]) {
    const [ax, ay] = board.centre(x1, y1);
    const [bx, by] = board.centre(x2, y2);
    const line = { x1: ax, y1: ay, x2: bx, y2: by };
    svgElement("line", { ...line, class: "glow", stroke: colour }, board.layer.beams);
    svgElement("line", { ...line, class: "core" }, board.layer.beams);
  },
  hit(board, [x, y, points]) {
    const { cell, layer } = board;
    const [cx, cy] = board.centre(x, y);
    svgElement("circle", { cx, cy, r: 0.42 * cell, class: "hit" }, layer.effects);
    const place = { x: cx + 0.34 * cell, y: cy - 0.3 * cell };
    const text = svgElement("text", { ...place, class: points < 0 ? "points good" : "points" }, layer.effects);
    text.textContent = points > 0 ? `-${points}` : `+${-points}`;
  },
  loss(board, [x, y]) {
    const { cell, layer } = board;
    const [cx, cy] = board.centre(x, y);
    for (let i = 0; i < 8; i++) {
      const line = { x1: cx, y1: cy - 0.16 * cell, x2: cx, y2: cy - 0.46 * cell };
      svgElement("line", { ...line, class: "wreck", transform: `rotate(${45 * i} ${cx} ${cy})` }, layer.effects);
    }
  },
  ring(board, [x, y, colour]) {
    const [cx, cy] = board.centre(x, y);
    svgElement("circle", { cx, cy, r: 0.52 * board.cell, class: "ring", stroke: colour }, board.layer.effects);
  },
  blast(board, [x, y, power]) {
    const { cell, layer } = board;
    const [cx, cy] = board.centre(x, y);
    const reach = Math.floor(Math.log2(Math.max(1, power)));
    for (let away = reach; away >= 0; away--) {
      const r = (away + 0.55) * cell;
      svgElement("path", { d: `M${cx} ${cy - r}L${cx + r} ${cy}L${cx} ${cy + r}L${cx - r} ${cy}Z`, class: "blast" }, layer.effects);
    }
    for (let away = 0; away <= reach; away++) {
      svgElement("circle", { cx, cy: cy - away * cell, r: (away ? 0.24 : 0.3) * cell, class: "power" }, layer.effects);
      svgElement("text", { x: cx, y: cy - away * cell, class: "power-points" }, layer.effects).textContent = power >> away;
    }
  },
  label(board, [x, y, text]) {
    const { cell, layer } = board;
    const [cx, cy] = board.centre(x, y);
    const half = (0.068 * text.length + 0.1) * cell;
    svgElement("rect", { x: cx - half, y: cy - 0.77 * cell, width: 2 * half, height: 0.3 * cell, rx: 8, class: "plate" }, layer.effects);
    svgElement("text", { x: cx, y: cy - 0.62 * cell, class: "plate-text" }, layer.effects).textContent = text;
  },
  stop(board, [x, y, direction]) {
    const { cell, layer } = board;
    const [cx, cy] = board.centre(x, y);
    const transform = `translate(${cx} ${cy}) rotate(${90 * direction})`;
    svgElement("path", { d: `M${-0.3 * cell} ${-0.5 * cell}H${0.3 * cell}`, class: "stop", transform }, layer.effects);
  },
};
