/**
 * Starts that go wrong, each with a secret close to what is wrong, and the one that goes well and
 * tells two on purpose. What the processes said until they ended is heard.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reservePort, ServiceProcess } from '../service-process.ts';
import { newPlainValue, newValue } from './canaries.ts';
import { type CanaryEnvironment, withPassword } from './environment.ts';

type Start = {
  readonly name: string;
  readonly environment: (env: CanaryEnvironment) => Readonly<Record<string, string>>;
  /** The configuration file, as a program. */
  readonly config?: (env: CanaryEnvironment) => string;
};

const throwing = (how: string) => `
const told = Object.assign(new Error('no luck with ' + process.env.ARK_API_KEY), {
  detail: process.env.VIDGEN_SECRET, config: { url: process.env.VIDGEN_DATABASE_URL },
});
${how}
export default {
  providers: { ark: { kind: 'modelark', baseUrl: 'http://127.0.0.1:1/api/v3',
    apiKey: { env: 'ARK_API_KEY' }, models: { 'vidgen-2-5': 'x' } } },
};
`;

export const starts: readonly Start[] = [
  {
    name: 'nobody answers at the database',
    environment: ({ recorder }) => ({
      VIDGEN_DATABASE_URL: withPassword(
        'postgres://vidgen@127.0.0.1:1/vidgen',
        recorder.addCanary('the password of a database that is away', newValue()),
      ),
    }),
  },
  {
    name: 'the process crashes while it serves',
    environment: () => ({}),
    config: () => throwing('setTimeout(() => { throw told; }, 1500);'),
  },
  {
    name: 'the configuration file throws',
    environment: () => ({}),
    // What it does before it has told which variables are secrets is its own doing.
    config: () =>
      throwing('').replace('export default', 'throw new Error(told.detail);\nexport default'),
  },
  {
    name: 'a key stands in the configuration file',
    environment: () => ({}),
    config: ({ recorder }) =>
      throwing('').replace(
        "{ env: 'ARK_API_KEY' }",
        JSON.stringify(recorder.addCanary('a key in the configuration file', newPlainValue('ark'))),
      ),
  },
  {
    name: 'secrets are too short',
    environment: ({ recorder }) => ({
      VIDGEN_SECRET: recorder.addCanary('a short VIDGEN_SECRET', newValue('s').slice(0, 20)),
      VIDGEN_ADMIN_TOKEN: recorder.addCanary(
        'a short VIDGEN_ADMIN_TOKEN',
        newValue('t').slice(0, 20),
      ),
    }),
  },
  {
    name: 'the secret is not that of the database',
    environment: ({ recorder }) => ({
      VIDGEN_SECRET: recorder.addCanary('another VIDGEN_SECRET', newValue('another')),
    }),
  },
  {
    name: 'the database is no address',
    environment: ({ recorder }) => {
      const password = recorder.addCanary('a password', newPlainValue('p'));
      return { VIDGEN_DATABASE_URL: `mysql://vidgen:${password}@db` };
    },
  },
];

/** Starts it, and hears what it said until it ended by itself. */
export async function startBadly(env: CanaryEnvironment, { name, environment, config }: Start) {
  const folder = join(env.home, `start-${starts.findIndex((one) => one.name === name)}`);
  await mkdir(folder);
  const logFile = join(folder, 'process.log');
  const configFile = join(folder, 'config.mjs');
  if (config) await writeFile(configFile, config(env));
  const started = new ServiceProcess({
    environment: {
      ...env.environment,
      PORT: String(await reservePort()),
      ...(config ? { VIDGEN_CONFIG: configFile } : {}),
      ...environment(env),
    },
    logFile,
  });
  const { code } = await started.exited;
  env.recorder.record(`output of a start: ${name}`, await readFile(logFile, 'utf8'));
  return code;
}

/**
 * What a first start tells once: on a fresh embedded engine the key of the demo account, with a
 * line to try it, and everywhere the link that makes the first administrator. They are meant for
 * whoever started it, stand alone on their lines, and nowhere else.
 */
const shownOnce =
  /^ {2}API key {2}vg_live_\w+$|^curl http\S+ -H '[^\n]*$|^Open the dashboard: \S+$/gm;

export function withoutShownOnce(env: CanaryEnvironment, output: string): string {
  for (const line of output.match(shownOnce) ?? []) {
    const secret = /vg_live_\w+|(?<=#)[\w-]{43}/.exec(line)?.[0];
    if (secret) env.recorder.addCanary('what a first start tells once', secret);
  }
  return output.replace(shownOnce, '');
}

/** A first start on the embedded engine, stopped when it serves. */
export async function startFirst(env: CanaryEnvironment): Promise<void> {
  const home = join(env.home, 'first');
  await mkdir(home);
  const logFile = join(home, 'process.log');
  const { VIDGEN_DATABASE_URL: _, VIDGEN_ADMIN_TOKEN: __, ...environment } = env.environment;
  const started = new ServiceProcess({
    environment: { ...environment, VIDGEN_HOME: home, PORT: String(await reservePort()) },
    logFile,
  });
  await started.waitUntilServing();
  await started.stop();
  const made = (await readFile(join(home, 'admin-token'), 'utf8')).trim();
  env.recorder.addCanary('an admin token that was made', made);
  const output = await readFile(logFile, 'utf8');
  env.recorder.record('output of a first start', withoutShownOnce(env, output));
}
