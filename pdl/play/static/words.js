// Counts, and sentences about a Look, for the status line and for those who listen to the page.

/** A count with its noun: "1 turn", "3 turns". */
export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** The names of the parts that could not be made. */
export function failedParts({ failed }) {
  return Object.keys(failed ?? {});
}

/** How many problems and parts that failed there are: "2 errors, 1 warning", or "No problems". */
export function problemWords(problems, failed = {}) {
  // What fails after an error in the prompt fails by it.
  const told = ["error", "warning", "note"].map((severity) => {
    const number = (problems ?? []).filter((one) => one.severity === severity).length;
    return number ? counted(number, severity) : "";
  });
  const parts = failedParts({ failed }).length;
  if (parts && !told[0]) told.push(`${counted(parts, "part")} failed`);
  return told.filter(Boolean).join(", ") || "No problems";
}

/** The worst severity of problems; "" if there are none. */
export function worst(problems) {
  return ["error", "warning", "note"].find((severity) => (problems ?? []).some((one) => one.severity === severity)) ?? "";
}

/** What the check says of the reply; "" without a reply or a schema. */
export function verdictWords(check) {
  if (!check) return "";
  if (!check.ok) return "Reply rejected";
  const repairs = check.repairs?.length ?? 0;
  return repairs ? `Reply accepted, ${counted(repairs, "repair")}` : "Reply accepted";
}

/** What is said of the calls in the reply: "1 call rejected"; "" if there are none. */
export function callWords(tools) {
  const calls = tools?.calls ?? [];
  const wrong = calls.filter(({ ok }) => !ok).length;
  if (wrong) return `${counted(wrong, "call")} rejected`;
  return calls.length ? `${counted(calls.length, "call")} accepted` : "";
}

/** Whether the reply and all calls in it are accepted; null if nothing is said of them. */
export function isAccepted({ check, tools }) {
  const calls = tools?.calls ?? [];
  return check || calls.length ? (check?.ok ?? true) && calls.every(({ ok }) => ok) : null;
}

/** What is said aloud after a look. */
export function spoken({ problems, failed, check, tools }) {
  const verdict = verdictWords(check);
  const more = check && !check.ok && check.summary ? `: ${check.summary}` : "";
  const calls = callWords(tools);
  return [`${problemWords(problems, failed)}.`, verdict ? `${verdict}${more}.`.replace(/\.\.$/, ".") : "", calls ? `${calls}.` : ""].filter(Boolean).join(" ");
}
