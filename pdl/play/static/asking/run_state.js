// A run against a model, from its events. Nothing here draws.

import { counted } from "../words.js";

/** A run before its first event; its status is "running", "done", "failed" or "stopped". */
export function begun(model) {
  return { model, status: "running", attempts: [], usage: null, error: null, result: null };
}

const attempt = (number, request) => ({ number, request, text: "", reasoning: "", partial: undefined, verdict: null });
const OF_ATTEMPT = ["text", "reasoning", "partial", "verdict"];

/** Takes an event into a run, which it changes. Unknown events are left alone. */
export function take(run, event) {
  if (event.event === "attempt") run.attempts.push(attempt(event.number, event.request));
  if (!run.attempts.length && OF_ATTEMPT.includes(event.event)) run.attempts.push(attempt(1, null));
  const last = run.attempts.at(-1);
  switch (event.event) {
    case "text": last.text += event.delta; break;
    case "reasoning": last.reasoning += event.delta; break;
    case "partial": last.partial = event.value; break;
    case "verdict": last.verdict = event; break;
    case "usage": run.usage = sum(run.usage, usageOf(event)); break;
    case "error": Object.assign(run, { status: "failed", error: event }); break;
    case "done": Object.assign(run, { status: "done", result: event, usage: event.usage ?? run.usage }); break;
    default:
  }
  return run;
}

/** What a run is when its stream ends, or is stopped. */
export function ended(run, { stopped = false, error = null } = {}) {
  if (run.status !== "running") return run;
  if (stopped) return Object.assign(run, { status: "stopped" });
  const told = error ?? { message: "The connection ended before the run did.", hint: "Is `pdl play` still running?" };
  return Object.assign(run, { status: "failed", error: told });
}

function usageOf({ event: _, number: __, seconds: ___, ...numbers }) {
  return Object.fromEntries(Object.entries(numbers).filter(([, value]) => typeof value === "number"));
}

function sum(one, other) {
  const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one?.[name] ?? 0) + (other[name] ?? 0)]));
}

/** The numbers of a usage as words: "12 input tokens, 30 output tokens". */
export function usageWords(usage) {
  const words = (name) => name.replaceAll("_", " ");
  return Object.entries(usage ?? {}).filter(([, value]) => value).map(([name, value]) => `${value.toLocaleString("en")} ${/tokens|cost/.test(name) ? words(name) : `${words(name)} tokens`}`).join(", ");
}

/** How a run is, in a sentence; `seconds` since it began. */
export function statusWords({ status, attempts, result, model }, seconds) {
  const time = `${(result?.seconds ?? seconds).toFixed(1)} s`;
  const tried = counted(result?.attempts ?? attempts.length, "attempt");
  if (status === "running") return attempts.length > 1 ? `Attempt ${attempts.length} of ${model} … ${time}` : `${model} is answering … ${time}`;
  if (status === "stopped") return `Stopped after ${time}.`;
  if (status === "failed") return `The run failed after ${time}.`;
  const calls = result.calls?.length ?? 0;
  if (result.ok && calls) return `The model calls ${counted(calls, "tool")} after ${tried}, in ${time}.`;
  return result.ok ? `A valid answer after ${tried}, in ${time}.` : `No valid answer after ${tried}, in ${time}.`;
}

/** What is said of a verdict that has no check: why the attempt failed. */
export function attemptWords({ ok, reason, stopped, pause }) {
  const words = [];
  if (!ok && reason) words.push(`The attempt failed: ${reason}${/[.!?…]$/.test(reason) ? "" : "."}`);
  if (stopped) words.push("The reply was stopped, since it could not become valid.");
  if (pause) words.push(`The next attempt follows after ${pause.toFixed(1)} s.`);
  return words.join(" ");
}
