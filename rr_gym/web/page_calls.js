// Calling the person who is waited for: by the title of the tab, and by a sound for those who want one.

const TITLE = document.title;
const bell = byId("sound");
const isOn = () => bell.getAttribute("aria-pressed") === "true";
const HEARD = 4000; // milliseconds for which it is said what can be heard
let called = false;
let audio = null;

// Browsers make no sound before something was pressed: a page that was loaded with its bell on wakes at the first press.
async function wake() {
  try {
    audio ??= new AudioContext();
    await Promise.race([audio.resume(), pause(500)]);
  } catch {
    // There is nothing that could sound.
  }
  return audio?.state === "running";
}
for (const kind of ["pointerup", "keydown"]) document.addEventListener(kind, () => isOn() && wake(), { once: true });

// Two short tones, made here: nothing is loaded.
function ring(on = audio) {
  [660, 880].forEach((pitch, i) => {
    const start = on.currentTime + 0.16 * i;
    const [tone, volume] = [on.createOscillator(), on.createGain()];
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.3);
    tone.connect(volume).connect(on.destination);
    tone.start(start);
    tone.stop(start + 0.3);
  });
}

function call(wanted) {
  document.title = wanted ? `● Your turn - ${TITLE}` : TITLE;
  if (wanted && !called && isOn() && audio?.state === "running") ring();
  called = wanted;
}

function setBell(on) {
  bell.setAttribute("aria-pressed", String(on));
  keep(localStorage, "sound", on ? "on" : "");
}

// Switched on, it is tried at once.
bell.addEventListener("click", async () => {
  setBell(!isOn());
  if (!isOn()) return;
  const awake = await wake();
  if (awake) ring();
  say(awake ? "This sound calls you. Did you hear it?" : "This browser plays no sound here.");
  setTimeout(showStatus, HEARD);
});
setBell(kept(localStorage, "sound") === "on");
