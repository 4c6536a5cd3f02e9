/** Turns log lines into text for people, where standard error is a terminal. */

type Line = { readonly level: string; readonly time: string; readonly msg: string };

const colors: Readonly<Record<string, number>> = { warn: 33, error: 31, fatal: 31 };

/** Returns `20:33:42 warn  message  field=value`; a line that is not JSON stays as it is. */
export function terminalLine(json: string): string {
  let line: Line & Record<string, unknown>;
  try {
    line = JSON.parse(json);
  } catch {
    return json;
  }
  const { level, time, msg, error, ...fields } = line;
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  const color = colors[level];
  const label =
    color === undefined ? level.padEnd(5) : `\u001b[${color}m${level.padEnd(5)}\u001b[0m`;
  const head = [`${time.slice(11, 19)} ${label} ${msg}`, ...shown].join('  ');
  return `${head}${error === undefined ? '' : `\n  ${errorText(error)}`}\n`;
}

/** What a terminal obeys: control characters, and marks that reverse the text. */
const controls = /\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/** A field can have text of a provider, a customer or a hostile file. */
const escaped = (text: string): string =>
  text.replace(controls, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);

const textOf = (value: unknown): string =>
  escaped(typeof value === 'string' ? value : JSON.stringify(value));

/** The stack has the message in its first line. */
function errorText(error: unknown): string {
  const { stack } = (error ?? {}) as { stack?: unknown };
  return typeof stack === 'string' ? stack.split('\n').map(escaped).join('\n  ') : textOf(error);
}
