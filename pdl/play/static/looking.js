// When the page looks: soon after a change, one look at a time, the next one when it has ended.

const PAUSE = 25; // milliseconds after a change, for those that come with it
const PATIENCE = 1500; // from here on a look is given up if there is something newer

/**
 * Calls `look(signal)` after changes. It is never called again before it has ended, so that what is
 * shown follows someone who does not pause, however slow it is.
 */
export class Looking {
  constructor(look) {
    this.look = look;
    this.timer = 0;
    this.current = null; // {stop, since, ended} of the look that is under way
    this.again = false;
  }

  /** Looks soon after a change. Those that follow do not put it off. */
  soon() {
    this.timer ||= setTimeout(() => this.now(), PAUSE);
  }

  /** Looks, or when the look that is under way has ended. Resolves when nothing is under way. */
  now({ givesUp = false } = {}) {
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.current) return this.begin();
    this.again = true;
    if (givesUp || performance.now() > this.current.since + PATIENCE) this.current.stop.abort();
    return this.current.ended;
  }

  /** Resolves when nothing is under way any more. */
  async ended() {
    await this.current?.ended;
  }

  begin() {
    const current = (this.current = { stop: new AbortController(), since: performance.now() });
    current.ended = this.run(current);
    return current.ended;
  }

  async run({ stop }) {
    this.again = false;
    const late = setTimeout(() => this.again && stop.abort(), PATIENCE);
    await this.look(stop.signal);
    clearTimeout(late);
    this.current = null;
    if (this.again) await this.begin();
  }
}
