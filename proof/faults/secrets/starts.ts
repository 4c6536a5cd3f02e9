/**
 * Starts that fail, each with a secret close to the cause, and a first start that succeeds and
 * prints two secrets on purpose. The outputs of the processes are recorded.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reservePort } from '../service-process.ts';
import { newPlainValue, newValue } from './canaries.ts';
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
  {
    name: 'a key is in the configuration file',
    config: (recorder) =>
      throwing('').replace(
        "{ env: 'ARK_API_KEY' }",
        JSON.stringify(recorder.addCanary('a key in the configuration file', newPlainValue('ark'))),
      ),
  },
  {
    name: 'secrets are too short',
    environment: (recorder) => ({
      VIDGEN_SECRET: recorder.addCanary('a short VIDGEN_SECRET', newValue('s').slice(0, 20)),
      VIDGEN_ADMIN_TOKEN: recorder.addCanary(
        'a short VIDGEN_ADMIN_TOKEN',
        newValue('t').slice(0, 20),
      ),
    }),
  },
  {
    name: 'the secret does not match the database',
    environment: (recorder) => ({
      VIDGEN_SECRET: recorder.addCanary('another VIDGEN_SECRET', newValue('another')),
    }),
  },
  {
    name: 'the database URL is invalid',
    environment: (recorder) => {
      const password = recorder.addCanary('a password', newPlainValue('p'));
      return { VIDGEN_DATABASE_URL: `mysql://vidgen:${password}@db` };
    },
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

/** Starts with a new database of its own, and stops when the service serves. */
export async function startFirst(env: CanaryEnvironment): Promise<void> {
  const { installation, recorder } = env;
  const home = join(installation.home, 'first');
  await mkdir(home);
  const logFile = join(home, 'process.log');
  const unset = { VIDGEN_DATABASE_URL: '', VIDGEN_ADMIN_TOKEN: '' };
  const environment = { ...unset, VIDGEN_HOME: home };
  const started = installation.start({ environment, logFile, port: await reservePort() });
  await started.waitUntilServing();
  await started.stop();
  const generated = (await readFile(join(home, 'admin-token'), 'utf8')).trim();
  recorder.addCanary('a generated admin token', generated);
  const output = await readFile(logFile, 'utf8');
  recorder.record('output of a first start', withoutShownOnce(env, output));
}
