/** What commands print: results to stdout, everything else to stderr. */
import { relative } from 'node:path';

/** @typedef {{ exit?: number, isUnknown?: boolean, json?: unknown }} ErrorInfo
 *   `isUnknown`: the request may have taken effect. `json`: the output with `--json`; null: it was
 *   printed already. */

const { env, stdout, stderr } = process;
/** Quotes a word for a shell. */
export const quoted = (word = '') =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
/** How this program was started, for messages. */
export const self = `node ${quoted(relative('', process.argv[1] ?? ''))}`;

/**
 * `resumeHint` says how to resume after Ctrl-C or when the service becomes unreachable. `progress`
 * is what the last response reported, 0 to 1, or NaN.
 */
export const state = { resumeHint: '', wantsJson: false, progress: Number.NaN };

export class CliError extends Error {
  /** @param {string} message @param {ErrorInfo} [info] */
  constructor(message, info = {}) {
    super(message);
    this.info = info;
  }
}

/** @param {string} message */
export const usageError = (message) => new CliError(`${message} See: ${self} help`, { exit: 2 });

/** Replaces the progress line, if there is one. @param {string} text */
export const printStatus = (text) =>
  void stderr.write(`${stderr.isTTY ? '\r\u001b[2K' : ''}${text}\n`);

/** @param {unknown} json @param {() => string} format the output without `--json` */
export function show(json, format) {
  const text = state.wantsJson ? JSON.stringify(json, null, 2) : format();
  if (text !== '') stdout.write(`${text}\n`);
}

/** @param {{ data?: object }} json */
export function showAll(json) {
  const { data, ...fields } = json;
  show(json, () => {
    const entries = Object.entries({ ...fields, ...data });
    const text = (/** @type {unknown} */ value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? JSON.stringify(value)
        : value;
    return table(entries.map(([name, value]) => [name, text(value)]));
  });
}

/** Aligned on a terminal, else with tabs. @param {unknown[][]} rows @param {string[]} [head] */
export function table(rows, head) {
  if (!stdout.isTTY) return rows.map((row) => row.join('\t')).join('\n');
  const lines = [...(head ? [head] : []), ...rows].map((row) => row.map((cell) => `${cell ?? ''}`));
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((row) => row[at]?.length ?? 0)));
  const padded = lines.map((row) => row.map((cell, at) => cell.padEnd(widths?.[at] ?? 0)));
  const text = padded.map((row) => row.join('  ').trimEnd()).join('\n');
  return text.replace(/\b(completed|failed|queued|generating)\b/g, (status) => {
    const shade = { completed: 32, failed: 31 }[status] ?? 36;
    return env.NO_COLOR ? status : `\u001b[${shade}m${status}\u001b[0m`;
  });
}
