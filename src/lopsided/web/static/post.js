// Sends JSON to our own server. After a restart of the server the page's token is renewed once, so that nothing
// that was typed is lost.
const meta = document.querySelector("meta[name=csrf]");

export class Refused extends Error {
  constructor(error, status) { super(error); this.status = status; }
}

export async function post(address, values, method = "POST") {
  let answer = await send(address, values, method);
  if (answer.status === 403) {
    const session = await fetch("/api/session", { headers: { accept: "application/json" } });
    if (session.ok) {
      meta.content = (await session.json()).csrf;
      for (const field of document.querySelectorAll("input[name=csrf]")) field.value = meta.content;
      answer = await send(address, values, method);
    }
  }
  const told = await answer.json().catch(() => ({ error: `The server answered ${answer.status}.` }));
  if (!answer.ok) throw new Refused(told.error, answer.status);
  return told;
}

function send(address, values, method) {
  return fetch(address, { method, body: JSON.stringify(values), headers: {
    "content-type": "application/json", "accept": "application/json", "x-csrf-token": meta.content } });
}

export async function get(address) {
  const answer = await fetch(address, { headers: { accept: "application/json" } });
  const told = await answer.json().catch(() => ({ error: `The server answered ${answer.status}.` }));
  if (!answer.ok) throw new Refused(told.error, answer.status);
  return told;
}

export function once() { // a token by which an answer that is sent twice counts once
  return [...crypto.getRandomValues(new Uint8Array(16))].map(n => n.toString(16).padStart(2, "0")).join("");
}
