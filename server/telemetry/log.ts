/**
 * Structured log lines on standard error, as text if it is a terminal. Secrets are redacted by
 * field name, by form, and by value if the process has registered it, wherever they are quoted.
 */
import { isatty } from 'node:tty';
import pino from 'pino';
import { startTimer } from '../process/clock.ts';

export type Log = pino.Logger;
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const secretNames = ['authorization', 'key', 'secret', 'token', 'signature', 'password', 'cookie'];
const mask = '[hidden]';

/**
 * The logged fields of an error. The database's `detail` is left out, because it quotes whole rows.
 */
const errorNames = ['type', 'message', 'stack', 'code', 'constraint', 'table', 'column', 'syscall'];

export function createLog(
  level: LogLevel,
  destination: pino.DestinationStream = standardError(),
): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: errorFields },
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: mask,
      },
      hooks: { streamWrite: redact, logMethod: limitRepeats(new RepeatedFailures()) },
    },
    destination,
  );
}

function limitRepeats(failures: RepeatedFailures) {
  return function (this: Log, args: Parameters<pino.LogFn>, method: pino.LogFn): void {
    const [fields, message] = args as unknown as [unknown, string | undefined];
    if (typeof fields !== 'object' || fields === null) method.apply(this, args);
    else failures.log(message ?? '', fields, (shown) => method.call(this, shown, message));
  };
}

/** Redacted lines arrive here, so text for a terminal is redacted too. */
function standardError(): pino.DestinationStream {
  const lines = pino.destination({ dest: 2, sync: true });
  return isatty(2) ? { write: (line) => void lines.write(terminalLine(line)) } : lines;
}

/** By default pino would log only an error's own properties, without message and stack. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const serialized = pino.stdSerializers.err(error);
  return Object.fromEntries(
    Object.entries(serialized).filter(([name]) => errorNames.includes(name)),
  );
}

/** Shorter values also occur in ordinary text. */
const charactersMin = 8;
const knownSecrets = new Set<string>();
let knownSecretPattern: RegExp | null = null;

/** From now on this value is redacted in every encoding, in logs and in stored text. */
export function registerSecret(value: string | null): void {
  if (value === null || value.length < charactersMin || knownSecrets.has(value)) return;
  knownSecrets.add(value);
  const forms = [...knownSecrets]
    .flatMap(encodingsOf)
    .toSorted((one, other) => other.length - one.length);
  knownSecretPattern = new RegExp([...new Set(forms)].map(escapePattern).join('|'), 'g');
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function encodingsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const quoted = JSON.stringify(value).slice(1, -1);
  return [
    value,
    quoted,
    quoted.replaceAll('/', '\\/'),
    encodeURIComponent(value),
    bytes.toString('hex'),
    // Without the last characters, which depend on the bytes that follow.
    bytes.toString('base64').replaceAll('=', '').slice(0, -3),
    bytes.toString('base64url').slice(0, -3),
  ].filter(({ length }) => length >= charactersMin);
}

/** For text from outside that is stored: an upstream can quote our key in an error. */
export const redactKnown = (text: string): string =>
  knownSecretPattern === null ? text : text.replace(knownSecretPattern, mask);

/** Our keys and secrets, and the user info and query of URLs. */
const secretToken = /\b(vg_(?:live|test|admin)_|whsec_|[rs]k_(?:live|test)_)[\w+/=-]{12,}/g;
const userInfo = /(\b[a-z][a-z\d+.-]{0,20}:\/\/)[^\s/@"'\\]+@/gi;
/** The whole URL, so that a text full of `http://` is read once. */
const webUrl = /\bhttps?:\/\/[^\s"'\\]+/gi;

function withoutQuery(url: string): string {
  const end = url.indexOf('?') + 1;
  return end === 0 || end === url.length ? url : url.slice(0, end) + mask;
}

/** For everything that people read: logs, and the error message of an exiting process. */
export function redact(text: string): string {
  return redactKnown(text)
    .replace(secretToken, `$1${mask}`)
    .replace(userInfo, `$1${mask}@`)
    .replace(webUrl, withoutQuery);
}

const quietMs = 1000;
/** Different failures at once; further ones are logged as they come. */
const failuresMax = 1000;

type Fields = { readonly error?: unknown; readonly repeated?: number };
type Write = (fields: Fields) => void;

/** Failures that come again and again: a store that is away fails every request. */
class RepeatedFailures {
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

/** A log line, of which a terminal gets text for people. */
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
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${fieldText(value)}`);
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

const fieldText = (value: unknown): string =>
  escaped(typeof value === 'string' ? value : JSON.stringify(value));

/** The stack has the message in its first line. */
function errorText(error: unknown): string {
  const { stack } = (error ?? {}) as { stack?: unknown };
  return typeof stack === 'string' ? stack.split('\n').map(escaped).join('\n  ') : fieldText(error);
}
