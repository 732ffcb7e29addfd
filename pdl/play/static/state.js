// The page's state in the fragment of its address: `#s=` and base64url of deflated JSON, or `#j=` and
// base64url of JSON. `token` is taken out as soon as it is read.

const KEPT = ["prompt", "data", "reply"];
const MOST = 8_000_000; // bytes, as of a request

const toBase64 = (bytes) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));

/** What a stream makes of bytes. Throws if that is more than `most` bytes. */
async function piped(bytes, stream, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks = [];
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > most) {
      reader.cancel().catch(() => {});
      throw new RangeError("too large");
    }
    chunks.push(value);
  }
}

/** The fragment that opens a state again. */
export async function written(state) {
  const kept = Object.fromEntries(KEPT.filter((name) => state[name]).map((name) => [name, state[name]]));
  const bytes = new TextEncoder().encode(JSON.stringify(kept));
  return `#s=${toBase64(await piped(bytes, new CompressionStream("deflate-raw")))}`;
}

/** The texts of a state. */
const textsOf = (found) => Object.fromEntries(KEPT.filter((name) => typeof found?.[name] === "string").map((name) => [name, found[name]]));

const LONGEST = 1_500_000; // characters of an address that browsers open

/** The fragment that gives what a page has to the page of another server; "" if it is too long. */
export async function handover(token, kept) {
  const bytes = new TextEncoder().encode(JSON.stringify(kept));
  const fragment = `#token=${token}&kept=${toBase64(await piped(bytes, new CompressionStream("deflate-raw")))}`;
  return fragment.length < LONGEST ? fragment : "";
}

/**
 * What the page of another server has given: {file, state, drafts}; null if nothing was. Only who
 * knows the token can give it.
 */
export async function handedOver(fragment) {
  const [, text] = /^#kept=([\w-]+)/.exec(fragment) ?? [];
  if (!text) return null;
  try {
    const plain = await piped(fromBase64(text), new DecompressionStream("deflate-raw"), MOST);
    const { file, state, drafts } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plain));
    return { file: typeof file === "string" ? file : null, state: textsOf(state), drafts: Object.entries(drafts ?? {}) };
  } catch {
    return null;
  }
}

/** The state in a fragment, {} if there is none; and why it cannot be read, "" if it can. */
export async function read(fragment) {
  const [, kind, text] = /^#([sj])=([\w-]*)/.exec(fragment) ?? [];
  if (text === undefined) return { state: {}, damage: "" };
  try {
    const bytes = fromBase64(text);
    const plain = kind === "s" ? await piped(bytes, new DecompressionStream("deflate-raw"), MOST) : bytes;
    const found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plain));
    const state = textsOf(found);
    const isEmpty = kind === "s" && JSON.stringify(found) === "{}"; // of a page without texts
    return { state, damage: Object.keys(state).length || isEmpty ? "" : "it has no prompt, data or reply." };
  } catch (error) {
    return { state: {}, damage: error instanceof RangeError ? "it has more text than the page takes." : "a part of it is missing, or was changed." };
  }
}

/** Keeps the texts of a page at an address, for a reload of this tab; returns whether it could. */
export function keepDraft(place, address, state) {
  try {
    sessionStorage.setItem(place, JSON.stringify({ address, ...textsOf(state) }));
    return true;
  } catch {
    return false; // a browser that keeps nothing, or no more
  }
}

/** Forgets them. */
export function dropDraft(place) {
  try {
    sessionStorage.removeItem(place);
  } catch {
    // a browser that keeps nothing
  }
}

/** The texts that were kept of a page at an address; {} if there are none. */
export function draftOf(place, address) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(place));
    return kept?.address === address ? textsOf(kept) : {};
  } catch {
    return {};
  }
}

const TOKEN = "pdl-token";

/** Keeps the token for a reload of this tab. */
export function keepToken(token) {
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    // a browser that keeps nothing
  }
}

/** The token of a fragment, and the fragment without it. */
export function split(fragment) {
  const [, token, rest] = /^#token=([\w-]+)&?(.*)$/s.exec(fragment) ?? [];
  return token ? { token, fragment: rest ? `#${rest}` : "" } : { token: "", fragment };
}

let given = ""; // what the page of another server has given, with the token

/** That, once. */
export function takeHandover() {
  const taken = given;
  given = "";
  return handedOver(taken);
}

/** The token in the fragment, which is then removed from the address and kept for a reload. */
export function takeToken() {
  const { token, fragment } = split(location.hash);
  if (token) {
    keepToken(token);
    given = fragment.startsWith("#kept=") ? fragment : "";
    history.replaceState(null, "", location.pathname + location.search + (given ? "" : fragment));
    return token;
  }
  try {
    return sessionStorage.getItem(TOKEN) ?? "";
  } catch {
    return "";
  }
}
