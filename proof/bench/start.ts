/** How long a start takes until the first create is answered, and the memory of the first one. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicMs, sleep } from '../../server/clock.ts';
import { reservePort, ServiceProcess } from '../faults/service-process.ts';
import type { BenchContext } from './bench-context.ts';
import { watchPeak } from './process-memory.ts';
import { median } from './rounds.ts';
import { createBody } from './service-stack.ts';
import { waitFor } from './wait-for.ts';

export type Starts = {
  readonly peakMb: number;
  /** `npm start`, with a database and a compile cache that exist. */
  readonly warmSeconds: number;
};

const root = join(import.meta.dirname, '../..');
const npmStart = ['npm', 'start', '--silent', '--prefix', root];
const pollMs = 10;
const quiet = { VIDGEN_SELF_TEST: 'off', VIDGEN_LOG_LEVEL: 'warn' };

export async function measureStarts({ folder, options }: BenchContext): Promise<Starts> {
  const home = join(folder, 'start');
  const environment = { VIDGEN_HOME: home, PORT: String(await reservePort()) };
  mkdirSync(home);
  const logFile = join(folder, 'start.log');
  const first = new ServiceProcess({ environment, logFile });
  const peak = watchPeak(first.pid);
  await first.waitUntilServing();
  const key = /vg_live_\w+/.exec(first.output())?.[0];
  if (key === undefined) throw new Error(`the first start printed no key:\n${first.output()}`);
  // The self-test renders a clip, and prints a line at its end.
  await waitFor('the self-test', async () => first.output().includes('\nPreview: '));
  const peakMb = peak.stop();
  await first.stop();
  const start = { logFile, environment: { ...environment, ...quiet }, launcher: npmStart };
  // Writes the compile cache when it exits.
  await secondsToCreate(start, key);
  const seconds: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    seconds.push(await secondsToCreate(start, key));
  }
  return { peakMb, warmSeconds: median(seconds) };
}

async function secondsToCreate(
  options: ConstructorParameters<typeof ServiceProcess>[0],
  key: string,
): Promise<number> {
  const fromMs = monotonicMs();
  const service = new ServiceProcess(options);
  while (!(await create(service.url, key))) {
    if (service.hasExited) throw new Error(`the start failed:\n${service.output()}`);
    await sleep(pollMs);
  }
  const seconds = (monotonicMs() - fromMs) / 1000;
  await service.stop();
  return seconds;
}

async function create(url: string, key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify(createBody);
  const request = fetch(`${url}/v1/videos/generations`, { method: 'POST', headers, body });
  return await request.then(({ ok }) => ok).catch(() => false);
}
