// What a browser keeps of the choices of whoever uses it.

// A browser may be told to keep nothing; then pages do without.
function keep(storage, name, value) {
  try {
    storage.setItem(name, value);
  } catch {
    // It is as if nothing had been kept.
  }
}

function kept(storage, name) {
  try {
    return storage.getItem(name);
  } catch {
    return null;
  }
}

// Who dictates, or hits keys by accident, can switch keys of one character off: by this box, on all pages alike.
function keepLetters(box) {
  box.checked = kept(localStorage, "letters") !== "off";
  box.addEventListener("change", () => keep(localStorage, "letters", box.checked ? "on" : "off"));
}
