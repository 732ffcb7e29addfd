
// The cases: rows are made as they are scrolled to, and what a row opens when it is opened.
{
  const data = JSON.parse(byId("data").textContent);
  const table = byId("table");
  const ROWS = 100; // that are made at a time
  const LONGEST = 4000; // characters of a text that are shown at first

  // Characters that are invisible or reorder others: controls, bidi overrides, lone surrogates.
  const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/u;
  const HARMLESS = new Set(["\n", "\t", "\u200c", "\u200d"]);

  function shown(text) {
    const parts = [];
    let plain = "";
    for (const char of text) {
      if (!UNSAFE.test(char) || HARMLESS.has(char)) {
        plain += char;
        continue;
      }
      if (plain) parts.push(plain);
      plain = "";
      const number = char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      parts.push(element("span", { class: "ctl", title: "an invisible character" }, `U+${number}`));
    }
    return plain ? [...parts, plain] : parts;
  }

  // The same for attributes, which have no elements.
  const escaped = (text) =>
    shown(text).map((part) => typeof part === "string" ? part : part.textContent).join("");

  // A block of text; `fill(limit)` returns its nodes, so many characters after those left out.
  function block(length, fill, properties = {}, before = 0) {
    const pre = element("pre", { dir: "auto", ...properties }, ...fill(LONGEST));
    const all = () => {
      pre.replaceChildren(...fill(Infinity));
      note.remove();
    };
    const note = element("p", { class: "cut" });
    if (before === 0 && length <= LONGEST) return { pre, parts: [pre], all: () => {} };
    const more = Math.max(length - LONGEST, before).toLocaleString("en");
    note.append(
      `Cut: ${more} more characters. `,
      element("button", { type: "button", onclick: all }, "Show all"),
    );
    return { pre, parts: [pre, note], all };
  }

  function textBlock(text) {
    return block(text.length, (limit) => shown(text.slice(0, limit))).parts;
  }

  // A value, whose lines that the expected value does not have are marked.
  function valueBlock(text, expected) {
    if (expected === null || text === expected) return textBlock(text);
    const bare = (line) => line.replace(/,$/, "");
    const known = new Set(expected.split("\n").map(bare));
    const fill = (limit) => text.slice(0, limit).split("\n").flatMap((line) => {
      const nodes = [...shown(line), "\n"];
      if (known.has(bare(line))) return nodes;
      const title = "not a line of the expected value";
      return [element("mark", { class: "differs", title }, ...nodes.slice(0, -1)), "\n"];
    });
    return block(text.length, fill).parts;
  }

  // How much of a reply is left out before an answer that is far from the begin: the reasoning.
  function leftOut(attempt) {
    let at = 0;
    for (const [text, isAnswer, marks] of attempt.pieces) {
      if (isAnswer || marks.length) return at > LONGEST / 2 ? at - LONGEST / 8 : 0;
      at += text.length;
    }
    return 0;
  }

  function replyNodes(attempt, limit) {
    const seen = new Set();
    let skipped = limit === Infinity ? 0 : leftOut(attempt);
    const nodes = skipped ? ["… "] : [];
    let left = limit;
    for (const [whole, isAnswer, marks] of attempt.pieces) {
      if (left <= 0) break;
      const text = whole.slice(skipped);
      skipped = Math.max(skipped - whole.length, 0);
      if (whole && !text) continue;
      const inner = shown(text.slice(0, left));
      left -= text.length;
      for (const index of marks) {
        if (seen.has(index)) continue;
        seen.add(index);
        inner.unshift(element("sup", {}, String(index + 1)));
      }
      if (!marks.length && !isAnswer) {
        nodes.push(...inner);
        continue;
      }
      const kinds = new Set(marks.map((index) => attempt.marks[index][0]));
      const words = marks.map((index) => attempt.marks[index][1]).join("\n");
      const classes = [...kinds, ...(isAnswer ? ["answer"] : [])].join(" ");
      const properties = { class: classes, "data-marks": ` ${marks.join(" ")} ` };
      if (words) properties.title = escaped(words);
      nodes.push(element(marks.length ? "mark" : "span", properties, ...inner));
    }
    return nodes;
  }

  function replyParts(attempt) {
    const length = attempt.pieces.reduce((sum, piece) => sum + piece[0].length, 0);
    const [before, after] = attempt.left.map((number) => number.toLocaleString("en"));
    const made = block(length, (limit) => replyNodes(attempt, limit), { class: "reply" }, leftOut(attempt));
    if (attempt.left[0] || attempt.left[1]) {
      made.parts.push(element("p", { class: "cut left" },
        `The page lacks the ${before} characters before this part of the reply and the ${after} after it. The run's attempts.jsonl has all.`));
    }
    const marked = (index) => made.pre.querySelectorAll(`[data-marks~="${index}"]`);
    const light = (index, isOn) => marked(index).forEach((one) => one.classList.toggle("on", isOn));
    const items = attempt.marks.map(([kind, words, hasPlace], index) => {
      const button = element("button", { type: "button", disabled: !hasPlace }, `${index + 1} ${kind}`);
      const item = element("li", {}, button, element("span", { class: "words" }, ...shown(words)));
      item.addEventListener("pointerenter", () => light(index, true));
      item.addEventListener("pointerleave", () => light(index, false));
      button.addEventListener("blur", () => light(index, false));
      button.addEventListener("click", () => {
        if (!marked(index).length) made.all();
        light(index, true);
        marked(index)[0]?.scrollIntoView({ block: "nearest" });
      });
      return item;
    });
    if (attempt.more) items.push(element("li", {}, `and ${attempt.more.toLocaleString("en")} more`));
    return items.length ? [...made.parts, element("ol", { class: "marks" }, ...items)] : made.parts;
  }

  function attemptParts(attempt, isLast, status) {
    const [input, output] = attempt.tokens;
    const verdict = attempt.fault ? `fault: ${attempt.fault}`
      : attempt.reason ? `refused: ${attempt.reason}`
      : isLast && status !== "valid" ? status : "valid";
    const facts = [attempt.seconds];
    if (input !== null || output !== null) facts.push(`${input ?? "?"} → ${output ?? "?"} tokens`);
    if (attempt.cached) facts.push("cached");
    const head = element("h5", {}, `Attempt ${attempt.number}: `,
      element("span", { class: verdict === "valid" ? "ok" : "bad" }, ...shown(verdict)), `, ${facts.join(", ")}`);
    if (attempt.pieces === null) return [head, element("p", { class: "none" }, "No reply.")];
    return [head, ...replyParts(attempt)];
  }

  // `ok` is null where a judge was wanted and not asked: neither right nor wrong.
  const failed = (trial) => trial.ok === false;
  const kindOf = (trial) => trial.ok ? "ok" : failed(trial) ? "bad" : "none";

  function trialParts(trial, one) {
    const facts = element("p", { class: "facts" },
      element("b", { class: kindOf(trial) }, trial.outcome),
      ` in ${trial.seconds}${trial.cost ? `, cost ${trial.cost}` : ""}`);
    const parts = [facts];
    if (trial.failures.length) {
      parts.push(element("ul", { class: "failures" }, ...trial.failures.map(([kind, place, message]) =>
        element("li", {}, ...shown(message), element("span", { class: "where" }, ...shown(`${kind} ${place}`))))));
    }
    if (trial.value !== null) {
      parts.push(element("h5", {}, "Value"), ...valueBlock(trial.value, one.exact));
    }
    trial.judged.forEach((answer, index) => {
      const isAccepted = trial.accepted[index];
      parts.push(element("h5", {}, ...shown(`Judge ${one.judges[index] ?? index + 1}: `),
        element("span", { class: isAccepted ? "ok" : "bad" }, isAccepted ? "accepted" : "not accepted")),
        ...textBlock(answer));
    });
    if (trial.brief) {
      parts.push(element("p", { class: "none" },
        "The page has the verdict only. The run's attempts.jsonl has the replies."));
    }
    trial.attempts.forEach((attempt, index) => {
      parts.push(...attemptParts(attempt, index === trial.attempts.length - 1, trial.status));
    });
    return parts;
  }

  // Scrolls a long reply to its answer or its first mark.
  function showMarks(pre) {
    const first = pre.querySelector(".answer, mark");
    if (first?.offsetTop > pre.clientHeight) pre.scrollTop = first.offsetTop - pre.clientHeight / 3;
  }

  function card(trials, [letter, name], one) {
    const made = element("section", { class: "card", "aria-label": escaped(`${letter} ${name}`) },
      element("header", {}, element("span", { class: "key" }, letter), element("h4", {}, ...shown(name))));
    if (!trials.length) {
      made.append(element("p", { class: "none" }, "Not run."));
      return made;
    }
    const body = element("div");
    const buttons = trials.map((trial) => element("button", { type: "button", onclick: () => open(trial) },
      `${trial.repeat} `, element("span", { class: kindOf(trial) }, trial.outcome)));
    const open = (trial) => {
      body.replaceChildren(...trialParts(trial, one));
      requestAnimationFrame(() => body.querySelectorAll("pre.reply").forEach(showMarks));
      buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(trials[index] === trial)));
    };
    if (trials.length > 1) {
      made.append(element("div", { class: "repeats", role: "group", "aria-label": "Repeats" }, ...buttons));
    }
    made.append(body);
    open(trials.find(failed) ?? trials[0]);
    return made;
  }

  function legend() {
    const words = [["answer", "the answer"], ["repair", "a repair"], ["error", "an error"], ["differs", "not as expected"]];
    return element("p", { class: "legend" }, ...words.flatMap(([kind, text]) =>
      [element("mark", { class: kind }, text), " "]));
  }

  function detail(one) {
    const given = element("div", { class: "given" },
      element("div", {}, element("h5", {}, "Data"), ...textBlock(one.data)));
    const expected = one.exact ?? one.expect;
    if (expected) {
      given.append(element("div", {}, element("h5", {}, "Expected"), ...textBlock(expected)));
    }
    const cards = one.trials.map((trials, index) => card(trials, data.columns[index], one));
    return element("div", { class: "inner" }, given, legend(), element("div", { class: "compared" }, ...cards));
  }

  function rowsOf(one) {
    const opener = element("button", { type: "button", class: "opener", "aria-expanded": "false" },
      element("span", {}, element("span", { class: "name" }, ...shown(one.name)),
        element("span", { class: "place" }, ...shown(one.place))));
    const all = one.trials.flat();
    const row = element("tr", {}, element("th", { scope: "row", class: "sticky" }, opener),
      ...one.trials.map((trials, index) => {
        const marks = trials.length > 1 ? trials.map((trial) =>
          element("span", { class: kindOf(trial) }, { ok: "●", bad: "✕", none: "○" }[kindOf(trial)])) : [];
        const isOk = trials.length > 0 && trials.every((trial) => trial.ok);
        const kind = isOk ? "ok" : trials.some(failed) ? "bad" : "none";
        return element("td", { class: "outcome" },
          ...(marks.length ? [element("span", { class: "trials", "aria-hidden": "true" }, ...marks)] : []),
          element("span", { class: kind }, one.cells[index]));
      }),
      element("td", { class: "number" }, `${all.filter(failed).length} of ${all.length}`),
      element("td", { class: "number" }, String(one.answers)));
    let below = null;
    const toggle = (isOpen) => {
      opener.setAttribute("aria-expanded", String(isOpen));
      row.classList.toggle("open", isOpen);
      if (!isOpen) return below?.remove();
      const id = `case-${one.at}`;
      below ??= element("tr", { class: "detail", id },
        element("td", { colspan: String(data.columns.length + 3) }, detail(one)));
      opener.setAttribute("aria-controls", id);
      row.after(below);
      return undefined;
    };
    opener.addEventListener("click", () => toggle(opener.getAttribute("aria-expanded") !== "true"));
    one.close = () => {
      toggle(false);
      opener.focus();
    };
    return row;
  }

  const share = (trials) => trials.length ? trials.filter(failed).length / trials.length : "";
  const ORDERS = {
    name: (one) => one.name,
    failed: (one) => one.failed,
    answers: (one) => one.answers,
  };
  const STATUSES = {
    "": () => true,
    failing: (trials) => trials.some(failed),
    all: (trials) => trials.length > 0 && trials.every(failed),
    ok: (trials) => trials.length > 0 && trials.every((trial) => trial.ok),
    differ: (trials) => new Set(trials.map((trial) => trial.answer)).size > 1,
    repaired: (trials) => trials.some((trial) => trial.repaired),
    retried: (trials) => trials.some((trial) => trial.retried),
  };

  function words(one) {
    one.words ??= [one.name, one.place, one.data, one.expect,
      ...one.trials.flat().flatMap((trial) => [
        trial.value ?? "",
        ...trial.failures.map((failure) => failure[2]),
        ...trial.attempts.flatMap((attempt) => [
          attempt.reason, attempt.fault,
          (attempt.pieces ?? []).map((piece) => piece[0]).join(""),
          ...attempt.marks.map((mark) => mark[1]),
        ]),
      ])].join("\n").toLowerCase();
    return one.words;
  }

  const order = [...data.cases];
  const rank = new Map(order.map((one, index) => [one, index])); // the worst come first
  let left = [];
  const body = table.createTBody();
  const more = byId("more");

  function addRows() {
    for (const one of left.splice(0, ROWS)) {
      one.row ??= rowsOf(one);
      body.append(one.row);
      if (one.row.classList.contains("open")) one.row.firstChild.firstChild.click();
    }
    more.hidden = left.length === 0;
  }

  function filter() {
    const text = byId("text").value.trim().toLowerCase();
    const status = byId("status").value;
    const at = byId("column").value;
    const fits = STATUSES[status] ?? ((trials) => trials.some((trial) => trial.status === status));
    const found = order.filter((one) =>
      fits(at === "" ? one.trials.flat() : one.trials[at]) && (!text || words(one).includes(text)));
    left = found;
    byId("shown").textContent = found.length === data.cases.length
      ? `${found.length.toLocaleString("en")} cases`
      : `${found.length.toLocaleString("en")} of ${data.cases.length.toLocaleString("en")} cases`;
    body.replaceChildren();
    addRows();
  }

  makeSortable(table, (head, isDescending) => {
    const by = ORDERS[head.dataset.by] ?? ((one) => share(one.trials[head.dataset.by]));
    order.sort((one, other) => compared(by(one), by(other), isDescending) || rank.get(one) - rank.get(other));
    filter();
  });
  document.querySelector(".filters").addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["text", "status", "column"]) byId(name).addEventListener("input", filter);
  more.addEventListener("click", addRows);
  new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && addRows(), {
    rootMargin: "400px",
  }).observe(more);

  // Arrows go from case to case, Escape closes the case that is open around the focus.
  table.addEventListener("keydown", (event) => {
    const row = event.target.closest("tr");
    if (event.key === "Escape") {
      const name = row.classList.contains("detail") ? row.previousElementSibling : row;
      data.cases.find((one) => one.row === name)?.close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.classList.contains("opener")) return;
    const openers = [...body.querySelectorAll(".opener")];
    openers[openers.indexOf(event.target) + step]?.focus();
    event.preventDefault();
  });
  filter();
}
