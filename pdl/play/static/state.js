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

/** The state in a fragment; {} if there is none, or if it cannot be read. */
export async function read(fragment) {
  const [, kind, text] = /^#([sj])=([\w-]+)/.exec(fragment) ?? [];
  if (!text) return {};
  try {
    const bytes = fromBase64(text);
    const plain = kind === "s" ? await piped(bytes, new DecompressionStream("deflate-raw"), MOST) : bytes;
    const found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plain));
    return Object.fromEntries(KEPT.filter((name) => typeof found?.[name] === "string").map((name) => [name, found[name]]));
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

/** The token in the fragment, which is then removed from the address and kept for a reload. */
export function takeToken() {
  const { token, fragment } = split(location.hash);
  if (token) {
    keepToken(token);
    history.replaceState(null, "", location.pathname + location.search + fragment);
    return token;
  }
  try {
    return sessionStorage.getItem(TOKEN) ?? "";
  } catch {
    return "";
  }
}
