// One item at a time, by keyboard. Each page is whole without this script: forms do the same, one page a click.
import { get, once, post } from "/static/post.js";

const place = document.getElementById("place"), numbers = document.getElementById("numbers");
const answers = document.getElementById("answers"), toast = document.getElementById("toast");
const note = document.getElementById("note"), tags = document.getElementById("tags");
const keys = document.getElementById("keys"), search = document.getElementById("search");
let busy = false, shownAt = performance.now(), hiding = 0, unsaved = false;

const item = () => document.getElementById("item");
const field = name => answers.elements.namedItem(name); // elements.item is a function
const number = () => Number(item().dataset.item) || null;

function say(text, isProblem = false) {
  clearTimeout(hiding);
  toast.textContent = text;
  toast.classList.toggle("problem", isProblem);
  toast.hidden = false;
  hiding = setTimeout(() => { toast.hidden = true; }, isProblem ? 8000 : 2500);
}

function show(next) {
  place.innerHTML = next.html;
  numbers.innerHTML = next.standing;
  document.getElementById("marked").innerHTML = next.marked;
  answers.hidden = next.item === null;
  for (const name of ["item", "reason", "token"]) field(name).value = next[name] ?? "";
  for (const box of tags.querySelectorAll("input")) box.checked = next.tags.includes(Number(box.value));
  note.value = next.remark;
  unsaved = false;
  shownAt = performance.now();
  window.scrollTo(0, 0);
  item().focus({ preventScroll: true });
}

async function attempt(work) {
  if (busy) return;
  busy = true;
  document.body.classList.add("busy");
  try {
    await saveNote();
    await work();
  } catch (error) {
    if (error.status === 401) { location.href = "/login?next=/screen"; return; } // the login is over
    say(error.status ? error.message : "The server cannot be reached. The answer was not saved; try again.", true);
  } finally {
    busy = false;
    document.body.classList.remove("busy");
  }
}

async function answer(button) {
  const value = button.value;
  if (value === "undo") {
    const next = await post("/api/undo", { token: once() });
    show(next);
    say(next.note);
    return;
  }
  if (number() === null) return;
  button.classList.add("pressed");
  try {
    // The token came with the item: sent again after a lost answer, it still counts once.
    const seconds = Math.min((performance.now() - shownAt) / 1000, 86400);
    show(await post("/api/answers", { item: number(), label: value === "skip" ? null : Number(value),
      token: field("token").value, reason: field("reason").value, seconds }));
  } catch (error) {
    if (error.status !== 409) throw error;
    show(await get("/api/next")); // answered otherwise in another window, where the next item is already
    say(error.message, true);
  } finally {
    button.classList.remove("pressed");
  }
}

async function saveNote() {
  if (!unsaved || number() === null) return;
  await post(`/api/items/${number()}/note`, { text: note.value, token: once() }, "PUT");
  unsaved = false;
}

async function toggleEvidence() {
  const panel = document.getElementById("evidence");
  if (!panel || number() === null) return;
  if (!panel.hidden) { panel.hidden = true; return; }
  const found = await post(`/api/items/${number()}/evidence`, {});
  panel.innerHTML = found.html;
  panel.hidden = false;
  panel.scrollIntoView({ block: "nearest" });
}

answers.addEventListener("submit", event => {
  event.preventDefault();
  if (event.submitter) attempt(() => answer(event.submitter));
});
search.addEventListener("submit", event => {
  event.preventDefault();
  const words = search.elements.words.value;
  search.elements.words.blur();
  attempt(async () => {
    const next = await post("/api/search", { words });
    show(next);
    say(next.note);
  });
});
note.addEventListener("input", () => { unsaved = true; });
note.addEventListener("blur", () => attempt(async () => {}));
tags.addEventListener("change", event => attempt(async () => {
  const { value, checked } = event.target;
  if (number() !== null) {
    await post(`/api/items/${number()}/tags/${value}`, { token: once() }, checked ? "PUT" : "DELETE");
  }
}));
document.getElementById("newtag").addEventListener("submit", event => {
  event.preventDefault();
  const typed = event.target.elements.namedItem("name");
  attempt(async () => {
    const made = await post("/api/tags", { name: typed.value });
    tags.innerHTML = made.html;
    typed.value = "";
    const box = tags.querySelector(`input[value="${made.id}"]`);
    if (box && number() !== null) {
      await post(`/api/items/${number()}/tags/${made.id}`, { token: once() }, "PUT");
      box.checked = true;
    }
  });
});
document.getElementById("words").addEventListener("submit", event => {
  event.preventDefault();
  attempt(async () => show(await post("/api/words", { words: event.target.elements.words.value }, "PUT")));
  event.target.elements.words.blur();
});
document.getElementById("help").addEventListener("click", () => keys.showModal());

function open(name, inside) {
  const panel = document.getElementById(name);
  if (!panel) return;
  panel.open = true;
  (inside ?? panel.querySelector("input"))?.focus(); // the first tag, or the field for a new one
}

const does = {
  "/": () => { search.elements.words.focus(); search.elements.words.select(); },
  "?": () => keys.showModal(),
  t: () => open("tagging"),
  o: () => open("noting", note),
  c: () => { const panel = document.getElementById("criteria"); if (panel) panel.open = !panel.open; },
  m: () => document.body.classList.toggle("unmarked"),
  e: () => attempt(toggleEvidence),
};

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
  const typing = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && event.target.matches("input, textarea, summary, button")) {
    event.target.blur();
    item().focus({ preventScroll: true });
    return;
  }
  if (typing || event.repeat) return;
  const key = event.key.toLowerCase();
  const buttons = [...answers.querySelectorAll("button[data-key]")];
  const choice = buttons.find(button => button.dataset.key === key)
    ?? buttons.filter(button => /^\d+$/.test(button.value))[Number(key) - 1];
  if (choice && (!answers.hidden || choice.value === "undo")) {
    event.preventDefault();
    attempt(() => answer(choice));
  } else if (does[key]) {
    event.preventDefault();
    does[key]();
  }
});
window.addEventListener("beforeunload", event => { if (unsaved) event.preventDefault(); });
item().focus({ preventScroll: true });
