// Calling the person who is waited for: by the title of the tab, and by a sound for those who want one.

const TITLE = document.title;
const bell = byId("sound");
let called = false;
let audio = null;

// Two short tones, made here: nothing is loaded.
function ring() {
  audio ??= new AudioContext();
  [660, 880].forEach((pitch, i) => {
    const start = audio.currentTime + 0.16 * i;
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.3);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.3);
  });
}

function call(wanted) {
  document.title = wanted ? `● Your turn - ${TITLE}` : TITLE;
  if (wanted && !called && bell.getAttribute("aria-pressed") === "true") ring();
  called = wanted;
}

function setBell(on) {
  bell.setAttribute("aria-pressed", String(on));
  keep(localStorage, "sound", on ? "on" : "");
}

bell.addEventListener("click", () => {
  setBell(bell.getAttribute("aria-pressed") !== "true");
  if (bell.getAttribute("aria-pressed") === "true") ring();
});
setBell(kept(localStorage, "sound") === "on");
