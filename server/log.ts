/** Structured log lines on standard error. Secrets are cut out by name wherever they stand. */
import pino from 'pino';

export type Log = pino.Logger;
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const secretNames = ['authorization', 'key', 'secret', 'token', 'signature', 'password', 'cookie'];

export function createLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Otherwise an error is logged as its own fields, which leave out what it says and where.
      serializers: { error: pino.stdSerializers.err },
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[hidden]',
      },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
