/**
 * Structured log lines on standard error. Secrets are cut out by the name of their field, by their
 * form, and by their value where the process holds it: whatever quotes them, the line does not.
 */
import pino from 'pino';

export type Log = pino.Logger;
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const secretNames = ['authorization', 'key', 'secret', 'token', 'signature', 'password', 'cookie'];
const mask = '[hidden]';

/** Of an error, what tells where it came from. The database's `detail` quotes whole rows. */
const errorNames = ['type', 'message', 'stack', 'code', 'constraint', 'table', 'column', 'syscall'];

export function createLog(
  level: LogLevel,
  destination: pino.DestinationStream = pino.destination({ dest: 2, sync: true }),
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
      hooks: { streamWrite: redact },
    },
    destination,
  );
}

/** Otherwise an error is logged as its own fields, which leave out what it says and where. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const serialized = pino.stdSerializers.err(error);
  return Object.fromEntries(
    Object.entries(serialized).filter(([name]) => errorNames.includes(name)),
  );
}

/** What is shorter would be found in words that are no secret. */
const charactersMin = 8;
const knownSecrets = new Set<string>();
let knownSecretPattern: RegExp | null = null;

/** From now on this value, however it is written, is in no log and in nothing that is kept. */
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
    // Without the end of it, which depends on what follows.
    bytes.toString('base64').replace(/.{0,3}=*$/, ''),
    bytes.toString('base64url').slice(0, -3),
  ].filter(({ length }) => length >= charactersMin);
}

/** For what others say to us and we keep: an upstream may quote our key in its refusal. */
export const redactKnown = (text: string): string =>
  knownSecretPattern === null ? text : text.replace(knownSecretPattern, mask);

/** Our keys and secrets, and of addresses what stands before the host and after the path. */
const secretForms: readonly (readonly [RegExp, string])[] = [
  [/\b(vg_(?:live|test|admin)_|whsec_|[rs]k_(?:live|test)_)[\w+/=-]{12,}/g, `$1${mask}`],
  [/(\b[a-z][a-z\d+.-]{0,20}:\/\/)[^\s/@"'\\]+@/gi, `$1${mask}@`],
  [/(\bhttps?:\/\/[^\s?"'\\]{0,2100}\?)[^\s"'\\]+/gi, `$1${mask}`],
];

/** For whoever reads along: logs, and what the process says when it ends. */
export function redact(text: string): string {
  return secretForms.reduce(
    (left, [form, instead]) => left.replace(form, instead),
    redactKnown(text),
  );
}
