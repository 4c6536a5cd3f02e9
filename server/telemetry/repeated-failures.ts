/** Keeps a failure that repeats from filling the log: one line a second, with a count. */
import { startTimer } from '../process/clock.ts';

const quietMs = 1000;
/** Different failures at once; further ones are logged as they come. */
const failuresMax = 1000;

type Fields = { readonly error?: unknown; readonly repeated?: number };
type Write = (fields: Fields) => void;

export class RepeatedFailures {
  readonly #quiet = new Map<string, { last: Fields; write: Write; count: number }>();

  /**
   * Writes the fields of a failure, unless the same message with the same error was written in the
   * last second; then writes the last ones with `repeated`, once the second is over.
   */
  log(message: string, fields: Fields, write: Write): void {
    const { error } = fields;
    const text = error instanceof Error ? error.message : error;
    if (typeof text !== 'string') return void write(fields);
    const key = `${message} ${text}`;
    const repeated = this.#quiet.get(key);
    if (repeated) {
      Object.assign(repeated, { last: fields, write, count: repeated.count + 1 });
      return;
    }
    write(fields);
    if (this.#quiet.size < failuresMax) this.#keepQuiet(key, { fields, write });
  }

  #keepQuiet(key: string, { fields, write }: { readonly fields: Fields; readonly write: Write }) {
    this.#quiet.set(key, { last: fields, write, count: 0 });
    startTimer(quietMs, () => {
      const { last, count, write: writeLast } = this.#quiet.get(key)!;
      this.#quiet.delete(key);
      if (count === 0) return;
      writeLast({ ...last, repeated: count });
      this.#keepQuiet(key, { fields: last, write: writeLast });
    });
  }
}
