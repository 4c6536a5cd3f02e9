/** Memory of idle processes, the time from a start to the first create, and the size on disk. */
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicMs, sleep } from '../../server/clock.ts';
import { reservePort, ServiceProcess } from '../faults/service-process.ts';
import type { BenchContext } from './bench-context.ts';
import { startDatabase } from './database.ts';
import { treeMemory, watchPeak } from './process-memory.ts';
import { median } from './rounds.ts';
import { createBody, type Role } from './service-stack.ts';
import { waitFor } from './wait-for.ts';

/** A figure with an absolute target. */
export type Figure = {
  readonly id: string;
  readonly title: string;
  readonly value: number;
  readonly unit: string;
  readonly atMost: number;
  readonly isReached: boolean;
};

const modules = join(import.meta.dirname, '../../node_modules');
const pollMs = 10;

export async function memoryBench(context: BenchContext): Promise<Figure[]> {
  const { log, options } = context;
  const figures: Figure[] = [];
  const add = (id: string, title: string, value: number, unit: string, atMost: number) => {
    figures.push({ id, title, value, unit, atMost, isReached: value <= atMost });
    log(`${title}: ${value.toFixed(value < 10 ? 2 : 0)} ${unit}`);
  };
  const idleMs = Math.min(30, options.seconds * 10) * 1000;
  const limits = { api: 120, worker: 120, all: 160 } as const;
  for (const [role, atMost] of Object.entries(limits) as [Role, number][]) {
    const { residentMb, proportionalMb } = await idleMemory(context, role, idleMs);
    add(`idle-${role}`, `idle, ${role}, resident`, residentMb, 'MB', atMost);
    log(`  proportional: ${proportionalMb.toFixed(0)} MB`);
  }
  const { peakMb, startSeconds } = await measureStarts(context);
  add('first-start-peak', 'peak of the first start', peakMb, 'MB', 450);
  add('start', 'start to the first create, warm', startSeconds, 's', 2);
  add('packages', 'packages on disk', diskBytes(modules, new Set()) / 1024 ** 2, 'MB', 370);
  return figures;
}

const quiet = { VIDGEN_SELF_TEST: 'off', VIDGEN_LOG_LEVEL: 'warn' };

/** On a PostgreSQL that is not part of the process tree. */
async function idleMemory({ folder }: BenchContext, role: Role, idleMs: number) {
  const home = join(folder, `memory-${role}`);
  mkdirSync(home);
  await using database = await startDatabase(join(home, 'database'));
  const service = new ServiceProcess({
    environment: {
      ...quiet,
      VIDGEN_HOME: join(home, 'home'),
      VIDGEN_DATABASE_URL: database.url,
      VIDGEN_ROLE: role,
      PORT: String(await reservePort()),
    },
    logFile: join(home, 'service.log'),
  });
  if (role === 'worker') await sleep(1000);
  else await service.waitUntilServing();
  await sleep(idleMs);
  const memory = treeMemory(service.pid);
  await service.stop();
  return memory;
}

/** With its own database, as `npm start` runs it; without npm and the check of the packages. */
async function measureStarts({ folder, options }: BenchContext) {
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
  const starts: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const fromMs = monotonicMs();
    const service = new ServiceProcess({ environment: { ...environment, ...quiet }, logFile });
    while (!(await create(service.url, key))) await sleep(pollMs);
    starts.push((monotonicMs() - fromMs) / 1000);
    await service.stop();
  }
  return { peakMb, startSeconds: median(starts) };
}

async function create(url: string, key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify(createBody);
  const request = fetch(`${url}/v1/videos/generations`, { method: 'POST', headers, body });
  return await request.then(({ ok }) => ok).catch(() => false);
}

/** Counts a file once that has several names. */
function diskBytes(path: string, seen: Set<number>): number {
  const { ino, blocks } = lstatSync(path);
  if (seen.has(ino)) return 0;
  seen.add(ino);
  const isFolder = lstatSync(path).isDirectory();
  const inside = isFolder ? readdirSync(path).map((name) => join(path, name)) : [];
  return inside.reduce((sum, one) => sum + diskBytes(one, seen), blocks * 512);
}
