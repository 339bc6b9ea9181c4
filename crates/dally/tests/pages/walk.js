"use strict";
// Uses the page as a reader would, and leaves what it saw in an attribute of the document.
(() => {
  // From the start of the navigation until the page is drawn.
  const loaded = Math.round(performance.now());
  const by = (id) => document.getElementById(id);
  const key = (name) => document.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const selected = () => (document.querySelector(".row.selected") || { textContent: "" }).textContent;
  const rows = () => document.querySelectorAll(".row").length;
  const seen = { loaded, errors: window.pageErrors, title: document.title };
  seen.failure = by("failure").textContent;
  seen.lanes = [...document.querySelectorAll("#lanes span")].map((lane) => lane.textContent);
  seen.deviations = document.querySelectorAll("#deviations button").length;
  key("Home");
  seen.first = selected();
  key("j");
  seen.second = selected();
  key("k");
  seen.back = selected();
  key("d");
  seen.delay = document.querySelector(".row.selected").className;
  seen.delayText = selected();
  seen.line = by("file").textContent;
  seen.here = (document.querySelector("#source .here") || { textContent: "" }).textContent;
  const before = rows();
  key("F");
  seen.folded = rows() < before;
  key("F");
  seen.unfolded = rows() === before;
  const query = by("query");
  query.value = document.body.dataset.query || "balance";
  query.dispatchEvent(new Event("input"));
  seen.found = by("found").textContent;
  seen.marks = document.querySelectorAll("mark").length > 0;
  key("n");
  seen.match = selected();
  query.value = "";
  query.dispatchEvent(new Event("input"));
  // The first row with an arrow that leads elsewhere.
  key("Home");
  seen.arrow = false;
  for (let i = 0; i < 40 && !seen.arrow; i++) {
    const at = selected();
    key("m");
    seen.arrow = selected() !== at;
    if (!seen.arrow) key("j");
  }
  key("End");
  seen.end = document.querySelector(".row.selected").className;
  seen.values = by("values").textContent;
  const box = by("trace");
  box.scrollTop = box.scrollHeight;
  seen.rows = rows();
  seen.scripts = document.scripts.length;
  seen.images = document.querySelectorAll("img, iframe, object, embed, link, a").length;
  seen.requests = performance.getEntriesByType("resource").length;
  document.documentElement.dataset.seen = JSON.stringify(seen);
})();
