// The rules and a player as WebAssembly: starts games, asks the player for orders and plays turns. It has no document.

const PAGE = 65536; // bytes of memory that WebAssembly counts as one
const STACK = 1 << 20;
const HEAP = 8 << 20; // for arrays that kernels make; it is free again after each call

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const READERS = {
  i1: (view, at) => view.getInt8(at),
  u1: (view, at) => view.getUint8(at),
  b1: (view, at) => view.getUint8(at) !== 0,
  i2: (view, at) => view.getInt16(at, true),
  u2: (view, at) => view.getUint16(at, true),
  i4: (view, at) => view.getInt32(at, true),
  u4: (view, at) => view.getUint32(at, true),
  i8: (view, at) => view.getBigInt64(at, true),
  u8: (view, at) => view.getBigUint64(at, true),
};
const WRITERS = {
  i1: (view, at, value) => view.setInt8(at, value),
  u1: (view, at, value) => view.setUint8(at, value),
  i2: (view, at, value) => view.setInt16(at, value, true),
  i4: (view, at, value) => view.setInt32(at, value, true),
  u8: (view, at, value) => view.setBigUint64(at, value, true),
};

class Engine {
  // `built` is what tools/site/duel/engine.py makes.
  static async load(built) {
    const [code, image] = await Promise.all([unpacked(built.code), unpacked(built.image)]);
    const engine = new Engine();
    engine.about = built;
    const stack = (built.end + STACK + 15) & ~15; // it grows downwards
    const pages = Math.ceil((stack + HEAP) / PAGE);
    engine.memory = new WebAssembly.Memory({ initial: pages });
    let free = stack;
    engine.clear = () => (free = stack);
    const env = {
      __linear_memory: engine.memory,
      __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, stack),
      __indirect_function_table: new WebAssembly.Table({ initial: 64, element: "anyfunc" }),
      malloc(size) {
        const place = free;
        free = (place + Number(size) + 15) & ~15;
        return free <= pages * PAGE ? place : 0;
      },
      free() {},
      log10: Math.log10,
      // The product of two numbers of 128 bits, each given as its lower and its higher half
      __multi3(place, low, high, otherLow, otherHigh) {
        const whole = (lower, higher) => (BigInt.asUintN(64, higher) << 64n) | BigInt.asUintN(64, lower);
        const product = whole(low, high) * whole(otherLow, otherHigh);
        engine.view.setBigUint64(place, BigInt.asUintN(64, product), true);
        engine.view.setBigUint64(place + 8, BigInt.asUintN(64, product >> 64n), true);
      },
    };
    new Uint8Array(engine.memory.buffer).set(image, built.start);
    engine.exports = (await WebAssembly.instantiate(code, { env })).instance.exports;
    engine.view = new DataView(engine.memory.buffer);
    engine.bytes = new Uint8Array(engine.memory.buffer);
    return engine;
  }

  run(name, words) {
    this.clear();
    const code = this.exports[name](words);
    if (code) throw new Error(`${name} failed with code ${code}`);
  }

  // A record as an object; records of records, and lists of them, too.
  read(layout, at) {
    const one = (type, place) => (typeof type === "string" ? READERS[type](this.view, place) : this.read(type, place));
    const found = {};
    for (const [name, { at: offset, count, type }] of Object.entries(layout.fields)) {
      const size = typeof type === "string" ? Number(type[1]) : type.size;
      const place = at + offset;
      found[name] = count === null ? one(type, place) : Array.from({ length: count }, (_, k) => one(type, place + k * size));
    }
    return found;
  }

  write(layout, at, name, value, index = 0) {
    const { at: offset, type } = layout.fields[name];
    WRITERS[type](this.view, at + offset + index * Number(type[1]), value);
  }
}

// A game of two robots on one of the courses.
class DuelGame {
  constructor(engine, course) {
    this.engine = engine;
    this.places = engine.about.courses[course];
    this.layouts = engine.about.records;
    this.size = this.layouts.game.size;
    this.game = new Uint8Array(this.size); // between two calls; each call has a place of its own for it
    this.nothing = Uint8Array.from(engine.about.defaults); // orders with every default, for each seat
  }

  // Begins a game; the salt are two numbers of 64 bits.
  start(seed, salt) {
    const { engine, places } = this;
    const at = places.games.start_range;
    engine.bytes.fill(0, at, at + this.size);
    const set = (name, value, index) => engine.write(this.layouts.game, at, name, value, index);
    set("num_robots", 2);
    set("start_lives", places.lives);
    set("seed", seed);
    salt.forEach((word, k) => set("salt", word, k));
    engine.bytes[places.mask] = 1;
    engine.run("start_range", places.calls.start_range);
    this.game = this.taken(at);
  }

  taken(at) {
    return this.engine.bytes.slice(at, at + this.size);
  }

  call(name) {
    this.engine.bytes.set(this.game, this.places.games[name]);
    this.engine.run(name, this.places.calls[name]);
  }

  // The orders that the player gives in a seat, as bytes of a short record.
  decide(seat) {
    const { engine, places } = this;
    const { short, full } = engine.about.sizes;
    engine.bytes[places.seats] = seat;
    this.call("begin_turns");
    engine.run("decide_turns", places.calls.decide_turns);
    this.call("decode_actions");
    return engine.bytes.slice(places.decided + seat * full, places.decided + seat * full + short);
  }

  // Random orders of both seats; the word is the state of the generator, which is returned as it is afterwards.
  draw(word) {
    const { engine, places } = this;
    engine.bytes.set(this.nothing, places.drawn);
    engine.view.setBigUint64(places.words, word, true);
    this.call("random_range");
    const { short } = engine.about.sizes;
    const orders = [0, 1].map((seat) => engine.bytes.slice(places.drawn + seat * short, places.drawn + (seat + 1) * short));
    return [orders, engine.view.getBigUint64(places.words, true)];
  }

  // Plays a turn by the orders of both seats.
  play(orders) {
    const { engine, places } = this;
    engine.bytes.set(this.nothing, places.orders);
    orders.forEach((one, seat) => engine.bytes.set(one, places.orders + seat * engine.about.sizes.short));
    this.call("play_range");
    this.game = this.taken(places.games.play_range);
  }

  // Orders as a record of bytes: a program of cards, and other decisions by name.
  orders(program, others = {}) {
    const { engine, layouts } = this;
    const { sizes } = engine.about;
    const at = this.places.drawn;
    engine.bytes.set(this.nothing, at);
    program.forEach((card, r) => engine.write(layouts.orders, at, "program", card, r));
    for (const [name, value] of Object.entries(others)) engine.write(layouts.orders, at, name, value);
    return engine.bytes.slice(at, at + sizes.short);
  }

  // The game as an object.
  record() {
    const at = this.places.games.play_range;
    this.engine.bytes.set(this.game, at);
    return this.engine.read(this.layouts.game, at);
  }

  // The events of the last turn, as bytes.
  eventBytes() {
    const { events, count } = this.layouts.log.fields;
    const number = this.engine.view.getInt32(this.places.log + count.at, true);
    const from = this.places.log + events.at;
    return this.engine.bytes.slice(from, from + number * events.type.size);
  }

  events() {
    const { events } = this.layouts.log.fields;
    const number = this.eventBytes().length / events.type.size;
    const from = this.places.log + events.at;
    return Array.from({ length: number }, (_, k) => this.engine.read(events.type, from + k * events.type.size));
  }
}
