"use strict";
// Uses the explorer as a reader would, and leaves what it saw in an attribute of the document.
(async () => {
  const by = (id) => document.getElementById(id);
  const seen = { errors: window.pageErrors };
  const settled = async (before) => {
    for (let turn = 0; turn < 400 && document.body.dataset.ready === before; turn++) await new Promise((done) => setTimeout(done, 25));
    return document.body.dataset.ready;
  };
  const act = async (does) => { const before = document.body.dataset.ready; does(); await settled(before); };
  const key = (name) => dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  await settled(undefined);
  seen.start = by("status").textContent;
  seen.offers = [...document.querySelectorAll(".offer b")].map((offer) => offer.textContent);
  await act(() => key("ArrowRight"));
  seen.afterProposed = by("status").textContent;
  seen.path = [...document.querySelectorAll("#path li")].map((step) => step.textContent);
  by("bookmark").click();
  await act(() => document.querySelectorAll(".offer")[Math.min(1, document.querySelectorAll(".offer").length - 1)].querySelector(".outcome").click());
  seen.afterDelay = by("status").textContent;
  await act(() => key("Backspace"));
  seen.back = by("status").textContent;
  await act(() => by("first").click());
  seen.first = by("status").textContent;
  await act(() => by("find").click());
  seen.failure = by("status").textContent;
  seen.failed = by("status").className;
  seen.values = by("values").textContent;
  await act(() => document.querySelector("#bookmarks button").click());
  seen.bookmarked = by("status").textContent;
  await act(() => { location.hash = "99"; });
  seen.refused = by("message").textContent;
  seen.scripts = document.scripts.length;
  seen.images = document.images.length;
  seen.foreign = performance.getEntriesByType("resource").filter((entry) => !entry.name.startsWith(location.origin)).length;
  document.body.dataset.seen = JSON.stringify(seen);
})();
