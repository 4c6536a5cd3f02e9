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

/** What a terminal obeys: control characters except line ends and tabs, and reversed text. */
const controls = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/** Most texts are from the service, which the user may not trust. @param {string} text */
export const withoutControls = (text) => text.replace(controls, '');

/** Replaces the progress line, if there is one. @param {string} text */
export const printStatus = (text) =>
  void stderr.write(`${stderr.isTTY ? '\r\u001b[2K' : ''}${withoutControls(text)}\n`);

/** @param {unknown} json @param {() => string} format the output without `--json` */
export function show(json, format) {
  const text = state.wantsJson ? toJson(json) : shaded(withoutControls(format()));
  if (text !== '') stdout.write(`${text}\n`);
}

/** @param {unknown} json */
const toJson = (json) =>
  JSON.stringify(json, null, 2).replace(
    controls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

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
  const text = (/** @type {unknown} */ cell) => `${cell ?? ''}`.replace(/[\n\t]/g, ' ');
  const lines = [...(head && stdout.isTTY ? [head] : []), ...rows].map((row) => row.map(text));
  if (!stdout.isTTY) return lines.map((row) => row.join('\t')).join('\n');
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((row) => row[at]?.length ?? 0)));
  const padded = lines.map((row) => row.map((cell, at) => cell.padEnd(widths?.[at] ?? 0)));
  return padded.map((row) => row.join('  ').trimEnd()).join('\n');
}

/** The status in a table on a terminal. @param {string} text */
function shaded(text) {
  if (!stdout.isTTY || env.NO_COLOR) return text;
  return text.replace(/(?<=^| {2})(completed|failed|queued|generating)(?= {2}|$)/gm, (status) => {
    const shade = { completed: 32, failed: 31 }[status] ?? 36;
    return `\u001b[${shade}m${status}\u001b[0m`;
  });
}
