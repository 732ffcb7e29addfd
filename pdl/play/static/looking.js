// When the page looks: soon after a change, one look at a time, the next one when it has ended.

const SHORTEST = 25; // milliseconds after a keystroke
const LONGEST = 400;
const PATIENCE = 1500; // from here on a look is given up if there is something newer

/** How long typing must pause: longer where a look takes long. */
export function pauseAfter(took) {
  return Math.min(LONGEST, Math.max(SHORTEST, took));
}

/**
 * Calls `look(signal)` after changes. It is never called again before it has ended, so that what is
 * shown follows someone who does not pause, however slow it is.
 */
export class Looking {
  constructor(look) {
    this.look = look;
    this.took = 0;
    this.timer = 0;
    this.current = null; // {stop, since, ended} of the look that is under way
    this.again = false;
  }

  /** Looks when typing pauses. */
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), pauseAfter(this.took));
  }

  /** Looks, or when the look that is under way has ended. Resolves when nothing is under way. */
  now({ givesUp = false } = {}) {
    clearTimeout(this.timer);
    if (!this.current) return this.begin();
    this.again = true;
    const left = givesUp ? 0 : this.current.since + PATIENCE - performance.now();
    if (left <= 0) this.current.stop.abort();
    else this.timer = setTimeout(() => this.current && this.now(), left);
    return this.current.ended;
  }

  begin() {
    const current = (this.current = { stop: new AbortController(), since: performance.now() });
    current.ended = this.run(current);
    return current.ended;
  }

  async run({ stop, since }) {
    this.again = false;
    const made = await this.look(stop.signal);
    if (made) this.took = performance.now() - since;
    this.current = null;
    if (this.again) await this.begin();
  }
}
