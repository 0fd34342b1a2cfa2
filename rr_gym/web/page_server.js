// Asking the server.

class Refusal extends Error {}

async function ask(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) };
  const answer = await fetch(path, body === undefined ? {} : post);
  const isData = answer.headers.get("content-type")?.startsWith("application/json");
  const content = isData ? await answer.json() : { error: await answer.text() };
  if (!answer.ok) throw new Refusal(content.error);
  return content;
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
