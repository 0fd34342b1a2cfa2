// The analysis of the game, at its end: asked for, made by the server while the page can be left, opened once it is there.

const ASK_AGAIN = 1000; // milliseconds
let analysing = false; // this page asks how far it is
let begun = false; // the server was at it when it was asked last

function showAnalysis({ state: now, done, total, possible }) {
  begun = now === "running";
  byId("analyse").hidden = now === "running" || now === "ready";
  byId("analyse").disabled = gone || !possible;
  byId("analyse").textContent = now === "failed" ? "Try the analysis again" : "Analyse the game";
  byId("analysis-link").hidden = now !== "ready";
  const far = total ? `${done} of ${total} decisions` : "it begins";
  const words = {
    none: possible ? "" : "No turn was played: there is nothing to analyse.",
    running: `The game is being analysed: ${far}. You can leave this page and come back.`,
    ready: "What each program gave away, with the better one as a ghost:",
    failed: "The analysis has failed; the server's terminal shows why.",
  };
  setText(byId("analysis-words"), words[now]);
}

// Asks again and again while the server is at it.
async function followAnalysis(path, body) {
  if (analysing) return;
  if (gone) return noAnalysis();
  analysing = true;
  try {
    for (let found = await ask(path, body); ; found = await ask("analysis")) {
      showAnalysis(found);
      if (!begun) return;
      await pause(ASK_AGAIN);
      if (gone) return noAnalysis();
    }
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Silence)) throw error;
    noAnalysis(error.message);
  } finally {
    analysing = false;
  }
}

// Without a server there is none, and one that was being made has ended with it.
function noAnalysis(why = "The server is gone.") {
  byId("analyse").disabled = gone;
  byId("analysis-link").hidden = byId("analysis-link").hidden || gone;
  if (begun) setText(byId("analysis-words"), `${why} The analysis has ended with it.`);
}
byId("analyse").addEventListener("click", () => followAnalysis("analyse", {}));
