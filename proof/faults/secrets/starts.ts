/**
 * Starts that fail, each with a secret close to the cause. The outputs of the processes are
 * recorded. `config` and `start` have tests of their own for the messages of each setting.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reservePort } from '../service-process.ts';
import { newValue } from './canaries.ts';
import { type CanaryEnvironment, withPassword } from './environment.ts';
import type { RecordingClient } from './recording-client.ts';

type FailingStart = {
  readonly name: string;
  readonly environment?: (recorder: RecordingClient) => Readonly<Record<string, string>>;
  /** The text of the configuration file. */
  readonly config?: (recorder: RecordingClient) => string;
};

const throwing = (how: string) => `
const failure = Object.assign(new Error('failed with ' + process.env.ARK_API_KEY), {
  detail: process.env.VIDGEN_SECRET, config: { url: process.env.VIDGEN_DATABASE_URL },
});
${how}
export default {
  providers: { ark: { kind: 'modelark', baseUrl: 'http://127.0.0.1:1/api/v3',
    apiKey: { env: 'ARK_API_KEY' }, models: { 'vidgen-2-5': 'x' } } },
};
`;

export const failingStarts: readonly FailingStart[] = [
  {
    name: 'the database does not respond',
    environment: (recorder) => ({
      VIDGEN_DATABASE_URL: withPassword(
        'postgres://vidgen@127.0.0.1:1/vidgen',
        recorder.addCanary('the password of a database that is away', newValue()),
      ),
    }),
  },
  {
    name: 'the process crashes while it serves',
    config: () => throwing('setTimeout(() => { throw failure; }, 1500);'),
  },
  {
    name: 'the configuration file throws',
    // Before it has exported which variables are secrets, the service cannot redact them.
    config: () =>
      throwing('').replace('export default', 'throw new Error(failure.detail);\nexport default'),
  },
];

/** Starts the service, records its output until it exits, and returns the exit code. */
export async function startFailing(
  { installation, recorder, ...env }: CanaryEnvironment,
  { name, environment, config }: FailingStart,
): Promise<number | null> {
  const nth = failingStarts.findIndex((one) => one.name === name);
  const logFile = join(installation.home, `start-${nth}.log`);
  const configFile = join(installation.home, `start-${nth}.config.mjs`);
  if (config) await writeFile(configFile, config(recorder));
  const started = installation.start({
    logFile,
    port: await reservePort(),
    environment: {
      VIDGEN_DATABASE_URL: env.databaseUrl,
      ...(config ? { VIDGEN_CONFIG: configFile } : {}),
      ...environment?.(recorder),
    },
  });
  const { code } = await started.exited;
  recorder.record(`output of a start: ${name}`, await readFile(logFile, 'utf8'));
  return code;
}

/**
 * What a first start prints once: with a new database of its own the key of the demo account and an
 * example request, and everywhere the link that makes the first administrator. Each is on a line of
 * its own.
 */
const shownOnce =
  /^ {2}API key {2}vg_live_\w+$|^curl http\S+ -H '[^\n]*$|^Open the dashboard: \S+$/gm;

/** Removes what is printed on purpose, and adds it as canaries for all other texts. */
export function withoutShownOnce({ recorder }: CanaryEnvironment, output: string): string {
  for (const line of output.match(shownOnce) ?? []) {
    const secret = /vg_live_\w+|(?<=#)[\w-]{43}/.exec(line)?.[0];
    if (secret) recorder.addCanary('a secret that a first start prints once', secret);
  }
  return output.replace(shownOnce, '');
}
