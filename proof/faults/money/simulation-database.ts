/**
 * A database for one simulation after the other, since opening one takes longer than a simulation.
 * The order of steps is drawn by fast-check, or first come, first served.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc, { type Scheduler } from 'fast-check';
import { keyPepper } from '../../../server/accounts/keys/api-key-format.ts';
import { type KeyCache, openKeyCache } from '../../../server/accounts/keys/key-cache.ts';
import type { Database } from '../../../server/database/database.ts';
import { testSecret } from '../../kit/seed.ts';
import { empty, openSimulatedDatabase } from './simulated-time.ts';
import { MoneySimulation } from './simulation.ts';
import { withoutWaiting } from './step-scheduler.ts';

/** Deleted rows slow queries down, and a truncate takes longer than a simulation. */
const thoroughlyEvery = 25;
/** More than any test here has. */
const stepsMax = 5000;

export class SimulationDatabase {
  readonly db: Database;
  readonly keys: KeyCache;
  readonly folder: string;
  /** For further connections. */
  readonly url: string;
  readonly #close: () => Promise<void>;
  #runs = 0;

  private constructor(parts: Pick<SimulationDatabase, 'db' | 'keys' | 'folder' | 'url' | 'close'>) {
    ({ db: this.db, keys: this.keys, folder: this.folder, close: this.#close } = parts);
    this.url = parts.url;
  }

  static async open(): Promise<SimulationDatabase> {
    const scratch = await openSimulatedDatabase();
    const { db, url } = scratch;
    const folder = await mkdtemp(join(tmpdir(), 'vidgen-money-'));
    await mkdir(join(folder, 'downloads'));
    const keys = await openKeyCache(db, { pepper: keyPepper(testSecret) });
    const close = async () => {
      await keys.close();
      await scratch.close();
      await rm(folder, { recursive: true, force: true });
    };
    return new SimulationDatabase({ db, keys, folder, url, close });
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Runs a simulation alone on the database; waits take a step instead of time. */
  async run(
    scheduler: Scheduler,
    scenario: (run: MoneySimulation) => Promise<void>,
  ): Promise<MoneySimulation> {
    this.#runs += 1;
    await empty(this.db, { thoroughly: this.#runs % thoroughlyEvery === 0 });
    const run = new MoneySimulation(this, scheduler);
    await withoutWaiting(run.steps, () => scenario(run));
    return run;
  }

  async runInOrder(scenario: (run: MoneySimulation) => Promise<void>): Promise<MoneySimulation> {
    const inOrder = Array.from({ length: stepsMax }, (_, at) => at + 1);
    return await this.run(fc.schedulerFor(inOrder), scenario);
  }
}
