// The page before a game: whoever sets it up chooses everything, the others wait and may say what they are called.

const TIMES = [0, 30, 60, 90, 120, 300];
let lobby = null; // how the game is set up, as the server said last
let choices = null;
let gone = false;
let sending = Promise.resolve(); // the last change of the plan, on its way to the server
let unsent = 0; // changes that the server has not answered yet

const say = (text) => setText(byId("status"), text);

// ---- news -----------------------------------------------------------------------------------------------------------

async function listen() {
  let version = -1;
  for (;;) {
    try {
      const news = await ask(`lobby?after=${version}`);
      setGone(news.closed ?? false);
      version = news.version;
      if (!news.same && !news.closed) await receive(news);
      if (!news.closed) continue;
    } catch (error) {
      if (error instanceof Refusal) {
        byId("main").hidden = true;
        return say(error.message);
      }
      if (!(error instanceof Silence)) throw error;
      setGone(true);
    }
    version = -1;
    await pause(2000);
  }
}

function setGone(now) {
  gone = now;
  byId("gone").hidden = !gone;
  byId("start").disabled = gone;
}

async function receive(news) {
  if (unsent) news.plan = lobby.plan;
  lobby = news;
  const seated = lobby.plan.seats[lobby.guest] === PERSON || lobby.guest === Number(WATCHER);
  if (lobby.started && seated) return location.reload();
  choices ??= await ask("choices");
  const host = "links" in lobby;
  byId("plan").hidden = !host;
  byId("waiting").hidden = host;
  if (host) showPlan();
  else showWaiting(seated);
}

// ---- for those who wait ---------------------------------------------------------------------------------------------

const courseOf = (id) => choices.courses.find((course) => course.id === id);

function showWaiting(seated) {
  const course = courseOf(lobby.plan.course);
  const robots = lobby.plan.seats.map((player, seat) => (player === PERSON ? lobby.names[seat] ?? "a person" : player));
  say(seated ? "Waiting for the game to start." : "There is no place for you in this game.");
  byId("waiting-title").textContent = lobby.guest < 0 ? "You watch" : `You are robot ${lobby.guest + 1}`;
  byId("chosen-picture").src = pictureOf(course.id);
  byId("waiting-text").textContent = `${course.name}, ${courseWords(course)}. Robots: ${robots.join(", ")}.`;
  byId("naming").hidden = lobby.guest < 0 || !seated;
  if (document.activeElement !== byId("name")) byId("name").value = lobby.names[lobby.guest] ?? kept(localStorage, "name") ?? "";
}

byId("naming").addEventListener("submit", (event) => {
  event.preventDefault();
  keep(localStorage, "name", byId("name").value);
  attempt("name-error", () => ask("name", { name: byId("name").value }));
});

async function attempt(place, work) {
  byId(place).textContent = "";
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Silence)) throw error;
    byId(place).textContent = error.message;
    return null;
  }
}

// ---- for whoever sets up the game -----------------------------------------------------------------------------------

function showPlan() {
  if (!byId("courses").firstChild) {
    makeCourses(choices.courses);
    makeSettings();
  }
  say(lobby.started ? "The game is being played." : "Set up the game.");
  showCourse(lobby.plan.course);
  showSeats();
  showSettings();
  const course = courseOf(lobby.plan.course);
  const [fewest, most] = course.players;
  const count = lobby.plan.seats.length;
  const advice = count < fewest || count > most ? ` The course is meant for ${fewest} to ${most} robots.` : "";
  byId("plan-words").textContent = `${course.name} with ${plural(count, "robot")}.${advice}`;
  byId("start").disabled = gone;
  byId("start").textContent = lobby.started ? "Set up another game" : "Start the game";
}

// Changes the plan here at once, and on the server, which gets one change after the other.
function change(part) {
  lobby.plan = { ...lobby.plan, ...part };
  showPlan();
  attempt("error", sendPlan);
}

function sendPlan() {
  const plan = lobby.plan;
  unsent++;
  const answer = sending.then(() => ask("plan", { plan }));
  sending = answer.catch(() => null).finally(() => unsent--);
  return answer;
}

function makeSettings() {
  for (const setting of choices.settings) {
    const label = htmlElement("label", "setting", byId(setting.front ? "front-settings" : "other-settings"));
    label.title = setting.about;
    htmlElement("span", "", label, setting.name.replaceAll("_", " "));
    const select = htmlElement("select", "", label);
    select.dataset.setting = setting.name;
    for (const value of setting.values) htmlElement("option", "", select, String(value));
    select.multiple = setting.many;
    select.addEventListener("change", () => {
      const { [setting.name]: _, ...others } = lobby.plan.settings;
      const chosen = [...select.selectedOptions].map((option) => setting.values[option.index]);
      const value = setting.many ? chosen.join(",") || setting.default : chosen[0];
      change({ settings: value === setting.default ? others : { ...others, [setting.name]: value } });
    });
    if (!setting.front) htmlElement("small", "", label, setting.about);
  }
  for (const seconds of TIMES) {
    const option = htmlElement("option", "", byId("timer"), seconds ? String(seconds) : "no limit");
    option.value = seconds;
  }
  byId("timer").addEventListener("change", () => change({ timer: Number(byId("timer").value) }));
}

function showSettings() {
  for (const { name, values, many, default: usual } of choices.settings) {
    const value = lobby.plan.settings[name] ?? usual;
    const chosen = many ? String(value).split(",").map((word) => word.trim()) : [value];
    for (const option of document.querySelector(`[data-setting="${name}"]`).options) {
      option.selected = chosen.includes(values[option.index]);
    }
  }
  const known = [...byId("timer").options].some((option) => Number(option.value) === lobby.plan.timer);
  if (!known) htmlElement("option", "", byId("timer"), String(lobby.plan.timer)).value = lobby.plan.timer;
  byId("timer").value = String(lobby.plan.timer);
}

byId("plan").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (lobby.started) return attempt("error", () => ask("set_up", {}));
  say("Starting ...");
  byId("start").disabled = true;
  const started = await attempt("error", async () => {
    await sendPlan(); // what is seen here is what starts, or is refused
    return ask("start", {});
  });
  if (started) return location.assign(`../../${started.link}`);
  return showPlan();
});

listen();
