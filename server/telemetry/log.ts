/**
 * Structured log lines on standard error, as text if it is a terminal. Secrets are redacted by
 * field name, by form, and by value if the process has registered it, wherever they are quoted.
 */
import { isatty } from 'node:tty';
import pino from 'pino';
import { RepeatedFailures } from './repeated-failures.ts';
import { terminalLine } from './terminal-log.ts';

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
