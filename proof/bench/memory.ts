/**
 * Memory of idle processes and of a worker with many tasks, the time from a start to the first
 * create, and the size on disk.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../../server/clock.ts';
import { reservePort, ServiceProcess } from '../faults/service-process.ts';
import type { BenchContext } from './bench-context.ts';
import { startDatabase } from './database.ts';
import { inFlightMemory } from './in-flight.ts';
import { packageSizes } from './package-size.ts';
import { treeMemory } from './process-memory.ts';
import type { Role } from './service-stack.ts';
import { measureStarts } from './start.ts';

/** A figure with an absolute target. */
export type Figure = {
  readonly id: string;
  readonly title: string;
  readonly value: number;
  readonly unit: string;
  readonly atMost: number;
  readonly isReached: boolean;
};

const root = join(import.meta.dirname, '../..');

export async function memoryBench(context: BenchContext): Promise<Figure[]> {
  const { log, options } = context;
  const figures: Figure[] = [];
  const add = (id: string, title: string, value: number, unit: string, atMost: number) => {
    figures.push({ id, title, value, unit, atMost, isReached: value <= atMost });
    log(`${title}: ${value.toFixed(value < 10 ? 2 : 0)} ${unit}`);
  };
  // First, as it fills the compile cache that processes of `npm start` have.
  const { peakMb, warmSeconds } = await measureStarts(context);
  add('first-start-peak', 'peak of the first start', peakMb, 'MB', 450);
  add('start', 'start to the first create, warm', warmSeconds, 's', 2);
  const idleMs = Math.min(30, options.seconds * 10) * 1000;
  const limits = { api: 120, worker: 120, all: 160 } as const;
  for (const [role, atMost] of Object.entries(limits) as [Role, number][]) {
    const { residentMb, proportionalMb } = await idleMemory(context, role, idleMs);
    add(`idle-${role}`, `idle, ${role}, resident`, residentMb, 'MB', atMost);
    log(`  proportional: ${proportionalMb.toFixed(0)} MB`);
  }
  const inFlight = `worker, ${options.inFlightTasks} tasks in flight, peak`;
  add('in-flight', inFlight, await inFlightMemory(context), 'MB', 350);
  const bytes = packageSizes(root).reduce((sum, one) => sum + one.bytes, 0);
  add('packages', 'packages on disk', bytes / 1024 ** 2, 'MB', 370);
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
