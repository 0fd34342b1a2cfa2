// Asking the server, and what the browser keeps for the page.

class Refusal extends Error {} // an answer: what was asked cannot be
class Silence extends Error {} // no answer

async function ask(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) };
  let answer;
  let content;
  try {
    answer = await fetch(path, body === undefined ? {} : post);
    const isData = answer.headers.get("content-type")?.startsWith("application/json");
    content = isData ? await answer.json() : { error: await answer.text() };
  } catch {
    throw new Silence("The server does not answer.");
  }
  if (!answer.ok) throw new Refusal(content.error);
  return content;
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
