// Plays games by random programs, or by the player against them, and prints a digest after every 100 turns.
//
//     node digests.js ENGINE.js BUILT.json random|player TURNS

const { readFileSync } = require("node:fs");
const { createHash } = require("node:crypto");
const { runInThisContext } = require("node:vm");

const [scripts, built, how, turns] = process.argv.slice(2);
const EVERY = 100;

(async () => {
  const classes = runInThisContext(`${readFileSync(scripts, "utf8")}; ({ Engine, DuelGame })`);
  const engine = await classes.Engine.load(JSON.parse(readFileSync(built, "utf8")));
  const games = engine.about.courses.map((_, course) => new classes.DuelGame(engine, course));
  const sum = createHash("sha256");
  const begun = performance.now();
  let left = Number(turns);
  for (let number = 0; left > 0; number++) {
    const duel = games[number % games.length];
    duel.start(BigInt(number), [BigInt(number) ** 3n, 7n]);
    sum.update(duel.game);
    let word = BigInt(number);
    for (let turn = 0; left > 0 && turn < 100 && !duel.record().over; turn++) {
      const [orders, next] = duel.draw(word);
      word = next;
      if (how === "player") sum.update((orders[1] = duel.decide(1)));
      duel.play(orders);
      sum.update(duel.game);
      sum.update(duel.eventBytes());
      if (--left % EVERY === 0) console.log(sum.copy().digest("hex"));
    }
  }
  console.error(`${(performance.now() - begun).toFixed(0)} ms`);
})();
