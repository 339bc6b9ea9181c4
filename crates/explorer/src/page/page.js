"use strict";
// The path is the state of this page: it is kept in the address, so that the buttons of the browser go back and forth.
// Texts of the program reach the document as text nodes only.

const id = (name) => document.getElementById(name);
const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};

let path = { initial: 0, steps: [] };
let view = null;
let asked = 0;

// A path as text: `@initial`, and for each step the task, with `#` and the options of its choices.
const format = (path) => {
  const step = ({ task, choices }) => task + (choices.length ? "#" + choices.join(".") : "");
  return [...(path.initial ? ["@" + path.initial] : []), ...path.steps.map(step)].join("+");
};
const parse = (text) => {
  const parsed = { initial: 0, steps: [] };
  for (const word of text.split("+").filter((word) => word)) {
    if (word.startsWith("@")) { parsed.initial = Number(word.slice(1)) || 0; continue; }
    const [task, choices] = word.split("#");
    parsed.steps.push({ task: Number(task) || 0, choices: choices ? choices.split(".").map((n) => Number(n) || 0) : [] });
  }
  return parsed;
};

const ask = async (question, body) => {
  const answer = await fetch(question, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
};

const say = (text) => { id("message").textContent = text; };

const go = (next) => { location.hash = format(next); };
const back = () => { if (path.steps.length) go({ ...path, steps: path.steps.slice(0, -1) }); };
const take = (task, choices) => go({ ...path, steps: [...path.steps, { task, choices }] });

const load = async () => {
  const mine = ++asked;
  const wanted = parse(location.hash.slice(1));
  try {
    const loaded = await ask("view", wanted);
    if (mine !== asked) return;
    path = wanted;
    view = loaded;
    say("");
    show();
  } catch (error) {
    if (mine !== asked) return;
    say(error.message);
    if (!view) {
      // An address with a path of another program: begin at the start.
      path = { initial: 0, steps: [] };
      view = await ask("view", path);
      show();
    }
  }
  document.body.dataset.ready = String(mine);
};

const place = (location) => location ? `${location.file.split(/[/\\]/).pop()}:${location.line}` : "";

const outcomeButton = (offer, outcome) => {
  const button = make("button", outcome.failure ? "outcome failure" : "outcome");
  const lines = outcome.statements.slice(0, 12);
  for (const statement of lines) {
    const at = place(statement.location);
    if (at) button.append(make("span", "place", at + "  "));
    button.append(make("span", "", statement.text + "\n"));
  }
  if (outcome.statements.length > lines.length) button.append(make("span", "place", `… ${outcome.statements.length - lines.length} more lines\n`));
  for (const change of outcome.changes.slice(0, 12)) button.append(make("span", "change", `${change.variable} = ${change.value}\n`));
  if (outcome.failure) button.append(make("span", "", "✗ " + outcome.failure));
  if (!button.childNodes.length) button.append(make("span", "place", "no visible effect"));
  button.addEventListener("click", () => take(offer.task, outcome.choices));
  return button;
};

const showOffers = () => {
  const offers = id("offers");
  offers.replaceChildren(make("h2", "", view.offers.length ? "Enabled tasks, in the order of " + view.strategy : "No task is enabled"));
  view.offers.forEach((offer, nth) => {
    const box = make("div", nth === 0 ? "offer proposed" : "offer");
    const head = make("div");
    head.append(make("b", "", `${offer.name.name} (task ${offer.name.task})`));
    const delayed = offer.delayed.map((task) => `${task.name} (task ${task.task})`).join(", ");
    const cost = offer.cost === 0 ? "proposed next" : `${offer.cost} ${offer.cost === 1 ? "delay" : "delays"}: ${delayed}`;
    head.append(make("span", offer.cost ? "cost" : "place", cost));
    box.append(head, ...offer.outcomes.map((outcome) => outcomeButton(offer, outcome)));
    if (offer.more) box.append(make("div", "place", `… ${offer.more} more outcomes`));
    if (!offer.outcomes.length) box.append(make("div", "place", "every execution of this step is discarded by an assumption"));
    offers.append(box);
  });
};

const showValues = () => {
  const last = view.steps.length ? view.steps[view.steps.length - 1].variables || [] : [];
  const changed = new Set(last.map((change) => change.variable));
  id("values").replaceChildren(...view.values.map((value) => {
    const line = make("div", changed.has(value.variable) ? "changed" : "");
    line.append(make("span", "", value.variable + " = "), make("span", "value", value.value));
    return line;
  }));
};

const showPath = () => {
  const missing = view.missing;
  const items = view.steps.map((step, nth) => {
    const item = make("li");
    item.value = step.number;
    if (step.delayed.length) item.append(make("span", "delayed", `~${step.delayed.length} `));
    const text = step.statements.length ? step.statements[0].text : "";
    item.append(make("span", "", `${step.name} (task ${step.task}) `), make("span", "place", text));
    item.addEventListener("click", () => go({ ...path, steps: path.steps.slice(0, missing + nth + 1) }));
    return item;
  });
  if (missing) items.unshift(make("li", "place", `… ${missing} steps before`));
  id("path").replaceChildren(...items);
};

const show = () => {
  const status = id("status");
  const spent = `${view.spent} ${view.spent === 1 ? "delay" : "delays"} spent`;
  status.className = view.failure ? "failure" : "";
  status.textContent = view.failure ? `✗ ${view.failure}` : `${path.steps.length} ${path.steps.length === 1 ? "step" : "steps"}, ${spent} under ${view.strategy}`;
  showOffers();
  showValues();
  showPath();
  id("back").disabled = id("first").disabled = !path.steps.length;
  id("proposed").disabled = !view.offers.length;
  const initial = id("initial");
  initial.hidden = view.initials < 2;
  if (initial.options.length !== view.initials) {
    initial.replaceChildren(...Array.from({ length: view.initials }, (_, nth) => {
      const option = make("option", "", `initial state ${nth}`);
      option.value = nth;
      return option;
    }));
  }
  initial.value = path.initial;
};

const proposed = () => {
  const offer = view && view.offers.find((offer) => offer.outcomes.length);
  if (offer) take(offer.task, offer.outcomes[0].choices);
};

const find = async () => {
  say("searching …");
  id("find").disabled = true;
  try {
    const found = await ask("find", path);
    if (found.sentence) say(found.sentence); else go(found);
  } catch (error) {
    say(error.message);
  }
  id("find").disabled = false;
};

const bookmark = () => {
  const here = format(path);
  const button = make("button", "", `${path.steps.length} steps: ${id("status").textContent.slice(0, 60)}`);
  button.title = here || "start";
  button.addEventListener("click", () => { location.hash = here; });
  id("bookmarks").append(button);
};

const save = async () => {
  try {
    const trace = await ask("trace", path);
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(trace, null, 2) + "\n"], { type: "application/json" }));
    link.download = "path.json";
    link.click();
    URL.revokeObjectURL(link.href);
    say("saved as path.json; then: dally replay path.json");
  } catch (error) {
    say(error.message);
  }
};

id("back").addEventListener("click", back);
id("first").addEventListener("click", () => go({ ...path, steps: [] }));
id("proposed").addEventListener("click", proposed);
id("find").addEventListener("click", find);
id("bookmark").addEventListener("click", bookmark);
id("save").addEventListener("click", save);
id("initial").addEventListener("change", (event) => go({ initial: Number(event.target.value), steps: [] }));
addEventListener("hashchange", load);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  const keys = { Backspace: back, ArrowLeft: back, ArrowRight: proposed, Home: () => go({ ...path, steps: [] }), f: find, b: bookmark, s: save };
  if (event.key === "Enter" && event.target.tagName !== "BUTTON") { proposed(); event.preventDefault(); }
  const does = keys[event.key];
  if (does) { does(); event.preventDefault(); }
});
load();
