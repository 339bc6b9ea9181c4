"use strict";
// Shows a trace. Everything that comes from the program reaches the page as text nodes, never as markup.
(() => {
  const { trace, files, lanes, arrows, sources } = JSON.parse(document.getElementById("data").textContent);
  // Locations have the indices of their files.
  const located = [trace.failure, ...trace.steps.flatMap((step) => step.statements)];
  for (const { location } of located) if (location) location.file = files[location.file];
  const failureMark = trace.failure.kind === "path" ? "■" : "✗";
  const ROW = 22, LEFT = 184, MARGIN = 400;
  const by = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }
  const titled = (task) => {
    const lane = lanes.find((l) => l.task === task.task);
    return lane ? lane.title : task.name;
  };
  const laneOf = new Map(lanes.map((lane, index) => [lane.task, index]));

  // ---- The rows -------------------------------------------------------------------------------------------------

  /** All rows in order; a turn is the stretch of steps from one change of task to the next. */
  const rows = [];
  const turns = [];
  const rowOf = new Map(); // "step:statement" → row, for arrows
  const several = new Set(trace.steps.flatMap((s) => s.statements.map((t) => t.location && t.location.file))).size > 2;
  const shortName = (file) => file.split(/[\\/]/).pop();
  const place = (at) => (at ? (several ? `${shortName(at.file)}:${at.line}` : String(at.line)) : "");

  function add(row) {
    row.index = rows.length;
    rows.push(row);
    return row;
  }

  function buildRows() {
    const gapAfter = trace.left_out ? trace.left_out.after : -1;
    const cycle = trace.schedule.loop;
    let last = null;
    trace.steps.forEach((step, index) => {
      const lane = laneOf.get(step.task);
      if (index === gapAfter) {
        add({ kind: "gap", step: index, lane: 0, text: `… ${trace.left_out.steps.toLocaleString("en")} steps are left out …` });
        last = null;
      }
      if (cycle !== undefined && cycle !== null && step.number === cycle + 1) {
        add({ kind: "cycle", step: index, lane: 0, text: "┌─ cycle: these steps repeat for ever" });
        last = null;
      }
      for (const delayed of step.delayed) {
        const at = laneOf.get(delayed.task);
        add({ kind: "delay", step: index, lane: at === undefined ? lane : at, text: `~ delay: ${titled(delayed)}` });
      }
      const preempts = !step.delayed.length && trace.schedule.steps[step.number - 1]?.cost > 0;
      if (!last || last.task !== step.task || step.delayed.length || preempts) {
        const turn = { folded: false, first: rows.length, steps: 0, marked: false };
        turns.push(turn);
        const text = titled(step) + (preempts ? "  (preempts)" : "");
        turn.header = add({ kind: "turn", step: index, lane, text, turn, number: step.number });
      }
      const turn = turns[turns.length - 1];
      turn.steps += 1;
      step.statements.forEach((statement, nth) => addStatement(step, index, statement, nth, lane, turn));
      const end = ending(step);
      if (end) add({ kind: "end", step: index, lane, text: end, turn });
      turn.last = rows.length;
      last = step;
    });
    if (cycle !== undefined && cycle !== null) {
      add({ kind: "cycle", step: trace.steps.length - 1, lane: 0, text: "└─ back to the start of the cycle" });
    }
    const lane = trace.steps.length ? laneOf.get(trace.steps[trace.steps.length - 1].task) : 0;
    const ends = trace.failure.kind === "deadlock" || trace.failure.kind === "liveness" ? 0 : lane;
    add({
      kind: "failure", step: Math.max(trace.steps.length - 1, 0), lane: ends, text: `${failureMark} ${trace.failure.message}`,
      location: trace.failure.location,
    });
  }

  function addStatement(step, index, statement, nth, lane, turn) {
    const kind = statement.kind === "choice" ? "choice" : "statement";
    const notes = (statement.changes || []).map((c) => `${c.variable} = ${c.value}`);
    if (statement.kind !== "create") notes.push(...(statement.posts || []).map((t) => `posts ${titled(t)}`));
    const row = add({
      kind, step: index, statement: nth, lane, turn, location: statement.location,
      text: "  ".repeat(Math.min(Math.max(statement.depth - 1, 0), 10)) + statement.text, values: notes.join(", "),
      number: nth === 0 ? step.number : undefined,
    });
    if (kind === "choice") turn.marked = true;
    rowOf.set(`${index}:${nth}`, row);
  }

  function ending(step) {
    const { how, task } = step.end;
    if (how === "blocks") return task === null || task === undefined ? "… blocks" : `… blocks on task ${task}`;
    return how === "completes" ? "… terminates" : "";
  }

  buildRows();
  const deviations = rows.filter((row) => row.kind === "delay" || row.kind === "choice");

  // ---- Arrows: from the row of a statement to the row at which the receiver takes the message -------------------

  const drawn = [];
  for (const arrow of arrows) {
    const from = rowOf.get(`${arrow.sent}:${arrow.statement}`);
    if (!from) continue;
    let to = null;
    if (arrow.received !== null) {
      const step = trace.steps[arrow.received];
      const taken = Math.max(step.statements.findIndex((s) => s.kind === "dequeue"), 0);
      to = rowOf.get(`${arrow.received}:${taken}`) ||
        turns.map((turn) => turn.header).filter((row) => row.step <= arrow.received).pop();
    }
    const made = { ...arrow, fromRow: from, toRow: to };
    drawn.push(made);
    (from.arrows ||= []).push(made);
    if (to) (to.arrows ||= []).push(made);
  }

  // ---- Layout: which rows are visible, and where ----------------------------------------------------------------

  let visible = [];
  const laneWidth = () => {
    const space = by("trace").clientWidth - LEFT - 120;
    return Math.max(96, Math.min(260, Math.floor(space / Math.max(lanes.length, 1))));
  };
  let width = laneWidth();
  const x = (lane) => LEFT + lane * width;
  let widest = 0;

  function layout() {
    visible = [];
    for (const row of rows) {
      row.top = null;
      const hidden = row.turn && row.turn.folded && row !== row.turn.header;
      if (!hidden) {
        row.top = visible.length;
        visible.push(row);
      }
    }
    // Rows of a folded turn are where its header is: arrows still lead somewhere.
    for (const row of rows) if (row.top === null) row.top = row.turn.header.top;
    const longest = rows.reduce((most, row) => Math.max(most, row.lane * width + 8 * (row.text.length + (row.values || "").length)), 0);
    widest = Math.max(LEFT + Math.min(Math.max(lanes.length * width, longest) + 60, 30000), by("trace").clientWidth);
    by("rows").style.height = `${visible.length * ROW + MARGIN / 4}px`;
    by("rows").style.width = by("lanes").style.width = `${widest}px`;
    showLanes();
    render();
  }

  function showLanes() {
    const heads = [element("i", "number", "step"), element("i", "place", "line")];
    by("lanes").replaceChildren(...heads, ...lanes.map((lane, index) => {
      // The number stays visible in narrow lanes.
      const [, name, task, machine] = lane.title.match(/^(.*?)(?: \((task \d+)\)|\((\d+)\))?$/s) || [];
      const number = task || (machine && `(${machine})`);
      const made = element("span");
      made.append(element("b", "", name), element("small", "", number || ""));
      made.style.left = `${x(index)}px`;
      made.style.maxWidth = `${width}px`;
      made.title = lane.title;
      return made;
    }));
  }

  // ---- Drawing: only rows near the window exist in the document -------------------------------------------------

  let selected = rows.length - 1;
  let query = "";
  let everything = false;

  function render() {
    const box = by("trace");
    const first = everything ? 0 : Math.max(0, Math.floor((box.scrollTop - MARGIN) / ROW));
    const last = everything ? visible.length : Math.min(visible.length, Math.ceil((box.scrollTop + box.clientHeight + MARGIN) / ROW));
    const shown = visible.slice(first, last).map(draw);
    by("rows").replaceChildren(drawArrows(first, last), ...shown);
  }

  function draw(row) {
    const made = element("div", `row ${row.kind}`);
    made.id = `row-${row.index}`;
    made.setAttribute("role", "option");
    made.style.top = `${row.top * ROW}px`;
    if (row.index === selected) {
      made.classList.add("selected");
      made.setAttribute("aria-selected", "true");
    }
    const number = row.kind === "turn" && !row.turn.folded ? undefined : row.number;
    made.append(element("span", "number", number === undefined ? "" : String(number)));
    made.append(element("span", "place", place(row.location)));
    const body = element("span", "body");
    body.style.left = `${x(row.lane)}px`;
    if (row.kind === "turn") {
      const fold = element("span", "fold", row.turn.folded ? "▸" : "▾");
      fold.addEventListener("click", (event) => { event.stopPropagation(); toggle(row.turn); });
      body.append(fold);
    }
    marked(body, row.text);
    if (row.kind === "turn" && row.turn.folded) body.append(element("span", "values", folded(row.turn)));
    if (row.values) marked(body.appendChild(element("span", "values")), row.values);
    made.append(body);
    made.addEventListener("click", () => select(row.index));
    return made;
  }

  const folded = (turn) => {
    const lines = turn.last - turn.first - 1;
    return `${turn.steps} step${turn.steps === 1 ? "" : "s"}, ${lines} line${lines === 1 ? "" : "s"}`;
  };

  /** Appends a text, with the matches of the search marked. */
  function marked(parent, text) {
    if (!query) return parent.append(text);
    const lower = text.toLowerCase();
    let from = 0;
    for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, from)) {
      parent.append(text.slice(from, at), element("mark", "", text.slice(at, at + query.length)));
      from = at + query.length;
    }
    parent.append(text.slice(from));
  }

  function drawArrows(first, last) {
    const picture = document.createElementNS(SVG, "svg");
    picture.id = "arrows";
    picture.setAttribute("width", String(widest));
    picture.setAttribute("height", String(visible.length * ROW));
    const put = (tag, attributes) => {
      const made = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
      picture.append(made);
      return made;
    };
    lanes.forEach((lane, index) => {
      const from = Math.max(lane.from === undefined ? 0 : lane.from, first), to = Math.min(visible.length, last);
      put("line", { x1: x(index), x2: x(index), y1: from * ROW, y2: to * ROW, stroke: "var(--line)" });
    });
    for (const arrow of drawn) {
      const a = arrow.fromRow.top, b = arrow.toRow ? arrow.toRow.top : a;
      if (Math.max(a, b) < first || Math.min(a, b) > last) continue;
      const here = arrow.fromRow.index === selected || (arrow.toRow && arrow.toRow.index === selected);
      const colour = arrow.fails ? "var(--failure)" : here ? "var(--accent)" : "var(--message)";
      const [x1, y1] = [x(arrow.from), a * ROW + ROW / 2];
      const [x2, y2] = [x(arrow.to), (arrow.toRow ? b : a + 0.9) * ROW + ROW / 2];
      const bend = arrow.from === arrow.to ? -14 : 0;
      const path = `M ${x1} ${y1} C ${(x1 + x2) / 2 + bend} ${y1}, ${(x1 + x2) / 2 + bend} ${y2}, ${x2 + (bend ? 0 : x2 > x1 ? -2 : 2)} ${y2}`;
      const line = put("path", { d: path, fill: "none", stroke: colour, "stroke-width": here ? 2.5 : 1.2, opacity: here ? 1 : 0.55 });
      if (arrow.kind !== "message") line.setAttribute("stroke-dasharray", "4 3");
      if (!arrow.toRow && !arrow.fails) line.setAttribute("opacity", "0.3");
      const side = x2 >= x1 && !bend ? -1 : 1;
      if (arrow.fails) put("path", { d: `M ${x2 - 4} ${y2 - 4} l 8 8 m 0 -8 l -8 8`, stroke: colour, "stroke-width": 2, fill: "none" });
      else put("path", { d: `M ${x2} ${y2} l ${6 * side} -4 v 8 z`, fill: colour });
    }
    for (const row of visible.slice(first, last)) {
      const colour = row.kind === "delay" ? "var(--delay)" : row.kind === "failure" ? "var(--failure)" : row.kind === "choice" ? "var(--choice)" : row.kind === "turn" ? "var(--accent)" : "";
      if (colour) put("circle", { cx: x(row.lane), cy: row.top * ROW + ROW / 2, r: 4, fill: colour });
    }
    return picture;
  }

  // ---- Selection ------------------------------------------------------------------------------------------------

  function select(index, scroll) {
    selected = Math.max(0, Math.min(rows.length - 1, index));
    const row = rows[selected];
    if (row.turn && row.turn.folded && row !== row.turn.header) toggle(row.turn);
    if (scroll) reveal(row);
    render();
    by("trace").setAttribute("aria-activedescendant", `row-${row.index}`);
    showSource(row);
    showValues(row);
  }

  function reveal(row) {
    const box = by("trace"), top = row.top * ROW, height = box.clientHeight - 40;
    if (top < box.scrollTop + ROW || top > box.scrollTop + height - 2 * ROW) box.scrollTop = Math.max(0, top - height / 2);
    const left = x(row.lane);
    if (left < box.scrollLeft + LEFT || left > box.scrollLeft + box.clientWidth - width) box.scrollLeft = Math.max(0, left - LEFT - width);
  }

  function move(by_) {
    const at = Math.max(0, visible.indexOf(rows[selected]));
    const to = visible[Math.max(0, Math.min(visible.length - 1, at + by_))];
    select(to.index, true);
  }

  function moveStep(direction) {
    const step = rows[selected].step + direction;
    const found = rows.find((row) => row.step === step && (row.statement === 0 || row.kind === "turn" || row.kind === "end"));
    if (found) select(found.index, true);
  }

  function moveAmong(list, direction) {
    if (!list.length) return;
    const sorted = direction > 0 ? list : [...list].reverse();
    const found = sorted.find((row) => (direction > 0 ? row.index > selected : row.index < selected)) || sorted[0];
    select(found.index, true);
  }

  function follow() {
    const row = rows[selected];
    const arrow = (row.arrows || []).find((a) => a.fromRow === row && a.toRow) || (row.arrows || []).find((a) => a.toRow === row);
    if (arrow) select((arrow.fromRow === row ? arrow.toRow : arrow.fromRow).index, true);
  }

  function toggle(turn) {
    turn.folded = !turn.folded;
    layout();
  }

  function foldAll() {
    const fold = turns.some((turn) => !turn.folded);
    turns.forEach((turn) => { turn.folded = fold; });
    by("fold").textContent = fold ? "Unfold all" : "Fold all";
    const row = rows[selected];
    if (row.turn && fold) selected = row.turn.header.index;
    layout();
    reveal(rows[selected]);
    render();
  }

  // ---- Source and values ----------------------------------------------------------------------------------------

  const visited = new Map(); // file → lines that were executed
  for (const row of rows) {
    if (!row.location) continue;
    if (!visited.has(row.location.file)) visited.set(row.location.file, new Set());
    visited.get(row.location.file).add(row.location.line);
  }
  let shownFile = null;

  function showSource(row) {
    const at = row.location || latestLocation(row);
    if (!at) return;
    const source = sources.find((s) => s.file === at.file);
    if (!source) {
      by("file").textContent = `${at.file}:${at.line}`;
      by("source").replaceChildren(element("div", "", "the text of this file is not part of the page"));
      shownFile = null;
      return;
    }
    if (shownFile !== source) {
      shownFile = source;
      const lines = visited.get(source.file) || new Set();
      by("source").replaceChildren(...source.parts.flatMap((part) => part.lines.map((text, nth) => {
        const line = part.first + nth;
        const made = element("div", lines.has(line) ? "visited" : "", text);
        made.dataset.line = String(line);
        return made;
      })));
    }
    by("file").textContent = `${at.file}:${at.line}`;
    for (const old of by("source").querySelectorAll(".here, .failure")) old.classList.remove("here", "failure");
    const line = by("source").querySelector(`[data-line="${at.line}"]`);
    if (!line) return;
    line.classList.add(row.kind === "failure" ? "failure" : "here");
    const box = by("source"), top = line.offsetTop - box.offsetTop;
    if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = Math.max(0, top - box.clientHeight / 2);
  }

  function latestLocation(row) {
    for (let i = row.index; i >= 0; i--) if (rows[i].location) return rows[i].location;
    return null;
  }

  /** The values of all variables after a row, and those that the row, or its step, has changed. */
  function valuesAt(row) {
    const shared = new Map(trace.initial ? trace.initial.map((c) => [c.variable, c.value]) : []);
    const local = new Map();
    const changed = new Map();
    const set = (map, key, value, now) => {
      if (now && map.get(key) !== value) changed.set(key, map.get(key));
      map.set(key, value);
    };
    for (let i = 0; i <= row.step && i < trace.steps.length; i++) {
      const step = trace.steps[i], now = i === row.step;
      const partial = now && row.statement !== undefined && row.statement + 1 < step.statements.length;
      if (now && (row.kind === "delay" || row.kind === "turn" || row.kind === "gap")) break;
      step.statements.forEach((statement, nth) => {
        if (now && row.statement !== undefined && nth > row.statement) return;
        const here = now && (row.statement === undefined || nth === row.statement);
        for (const c of statement.changes || []) {
          if (c.shared) set(shared, c.variable, c.value, here);
          else set(local, `${step.task} ${c.variable}`, c.value, here);
        }
      });
      if (!partial) for (const c of step.variables || []) set(shared, c.variable, c.value, now);
    }
    if (row.kind === "failure") for (const c of trace.globals) set(shared, c.variable, c.value, false);
    return { shared, local, changed };
  }

  function showValues(row) {
    const { shared, local, changed } = valuesAt(row);
    const table = element("table");
    const line = (name, key, value) => {
      const made = table.insertRow();
      made.insertCell().textContent = name;
      const cell = made.insertCell();
      if (changed.has(key)) {
        made.className = "changed";
        if (changed.get(key) !== undefined) cell.append(element("del", "", changed.get(key)));
      }
      cell.append(value);
    };
    const title = (text) => {
      const made = table.insertRow();
      made.className = "title";
      const cell = made.insertCell();
      cell.colSpan = 2;
      cell.textContent = text;
    };
    if (shared.size) title("Shared");
    for (const [name, value] of shared) line(name, name, value);
    const task = trace.steps[row.step] && trace.steps[row.step].task;
    const own = [...local].filter(([key]) => key.startsWith(`${task} `));
    if (own.length) title(`Local variables of ${lanes[laneOf.get(task)].title}`);
    for (const [key, value] of own) line(key.slice(key.indexOf(" ") + 1), key, value);
    if (row.kind === "failure" && trace.given && trace.given.length) {
      title("Inputs");
      for (const given of trace.given) line(given.term, `given ${given.term}`, given.value);
    }
    by("values").replaceChildren(table);
  }

  // ---- Search ---------------------------------------------------------------------------------------------------

  let matches = [];
  function search(text) {
    query = text.toLowerCase();
    matches = query ? rows.filter((row) => `${row.text} ${row.values || ""}`.toLowerCase().includes(query)) : [];
    by("found").textContent = query ? `${matches.length} match${matches.length === 1 ? "" : "es"}` : "";
    render();
  }

  // ---- The rest of the page -------------------------------------------------------------------------------------

  const plural = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : what === "match" ? "es" : "s"}`;
  const delays = rows.filter((row) => row.kind === "delay").length;
  const choices = deviations.length - delays;
  by("failure").textContent = `${failureMark} ${trace.failure.kind === "deadlock" ? "deadlock: " : ""}${trace.failure.message}`;
  by("facts").textContent = [
    trace.program.files.join(" "), trace.program.test ? `test ${trace.program.test}` : "", `under ${trace.schedule.policy}`,
    plural(trace.schedule.steps.length, "step"), plural(delays, "delay"), choices ? plural(choices, "choice") : "", plural(lanes.length, "task"),
  ].concat(trace.notes || []).filter(Boolean).join(" · ");
  by("deviations").replaceChildren(...deviations.slice(0, 60).map((row) => {
    const made = element("button", row.kind, `step ${trace.steps[row.step].number}: ${row.text.replace(/^[~·\s]+/, "")}`);
    made.addEventListener("click", () => select(row.index, true));
    return made;
  }));
  const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const actions = {
    previous: () => move(-1), next: () => move(1), deviation: () => moveAmong(deviations, 1), jump: follow, fold: foldAll,
    theme: () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; }, help: () => by("keys").showModal(),
  };
  for (const [id, action] of Object.entries(actions)) by(id).addEventListener("click", action);
  by("query").addEventListener("input", () => search(by("query").value));
  by("query").addEventListener("keydown", (event) => {
    if (event.key === "Enter") { moveAmong(matches, event.shiftKey ? -1 : 1); event.preventDefault(); }
    if (event.key === "Escape") { by("query").value = ""; search(""); by("trace").focus(); }
  });
  const keys = {
    ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1),
    PageDown: () => move(20), PageUp: () => move(-20),
    J: () => moveStep(1), K: () => moveStep(-1), d: () => moveAmong(deviations, 1), D: () => moveAmong(deviations, -1),
    m: follow, f: () => { const row = rows[selected]; if (row.turn) { selected = row.turn.header.index; toggle(row.turn); } }, F: foldAll,
    n: () => moveAmong(matches, 1), N: () => moveAmong(matches, -1), "/": () => by("query").focus(),
    "?": () => by("keys").showModal(), Home: () => select(0, true), End: () => select(rows.length - 1, true),
  };
  document.addEventListener("keydown", (event) => {
    if (event.target === by("query") || event.ctrlKey || event.metaKey || event.altKey || by("keys").open) return;
    const action = keys[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  let pending = false;
  by("trace").addEventListener("scroll", () => {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => { pending = false; render(); });
  });
  addEventListener("resize", () => { width = laneWidth(); layout(); });
  // All lanes fit the width of a sheet in landscape, whose pixels CSS defines.
  const SHEET = 960;
  addEventListener("beforeprint", () => { everything = true; render(); by("trace").style.zoom = Math.min(1, SHEET / widest); });
  addEventListener("afterprint", () => { everything = false; by("trace").style.zoom = ""; render(); });

  // Long traces open with the uneventful turns folded: delays, choices, arrows and the end stay in view.
  if (rows.length > 1500) {
    const ends = new Set(turns.slice(0, 3).concat(turns.slice(-8)));
    turns.forEach((turn, nth) => {
      const near = rows.slice(Math.max(0, turn.first - 1), turn.last + 1).some((row) => row.kind === "delay" || row.kind === "choice");
      turn.folded = !near && !ends.has(turn) && nth > 0 && turn.last - turn.first > 3;
    });
  }
  layout();
  select(deviations.length ? deviations[0].index : rows.length - 1, true);
  by("trace").focus();
})();
