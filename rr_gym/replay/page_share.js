// Around the page: its help, full screen, and links to a moment.

const momentOf = (frame) => `#turn=${frames[frame].turn + 1}&step=${frame - turnStarts[frame] + 1}`;

function toggleHelp() {
  const help = byId("help");
  if (help.open) return help.close();
  setPlaying(false);
  about.hide();
  help.showModal();
}
byId("keys").addEventListener("click", toggleHelp);

function toggleFull() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => byId("full").remove()); // a frame may not be allowed to
}
byId("full").addEventListener("click", toggleFull);
byId("full").hidden = !document.fullscreenEnabled;

// ---- links ----------------------------------------------------------------------------------------------------------

// What to do with a link, where it does not lead others here by itself.
function linkWords(moment, copied) {
  const how = copied ? "The link is copied." : "Copy the link: press Ctrl and C.";
  if (replay.address_is_secret) {
    return "The address of this page belongs to a seat, and anyone who knows it can play there. Send the replay as a file " +
      `instead, and add ${moment} to the address of its page.`;
  }
  if (location.protocol === "file:") {
    return `${how} It leads to a file on this computer, so send the file too. There, add ${moment} to its address.`;
  }
  if (!/^https?:$/.test(location.protocol)) return `This page has no address of its own. Where it has one, add ${moment} to it.`;
  return how;
}

async function share() {
  setPlaying(false);
  byId("settings").open = false;
  const moment = momentOf(at);
  const isAddress = !replay.address_is_secret && /^(https?|file):$/.test(location.protocol);
  const link = isAddress ? location.href.replace(/#.*/s, "") + moment : moment;
  byId("link").value = link;
  byId("sharing").showModal();
  byId("link").select();
  const copied = await copy(link);
  byId("link-words").textContent = linkWords(moment, copied);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // pages of http, and browsers that were told so, may not write there
  }
}
byId("share").addEventListener("click", share);

// ---- keys of one character ------------------------------------------------------------------------------------------

const letters = byId("letters");
keepLetters(letters);
byId("help").addEventListener("keydown", (event) => {
  event.stopPropagation();
  if (event.key === "?" && letters.checked) toggleHelp();
});
byId("sharing").addEventListener("keydown", (event) => event.stopPropagation());
