/**
 * A database whose time stands still, for one simulated world after the other: opening one takes
 * longer than a world lasts. And the ways to have a world on it: in an order drawn by fast-check,
 * or in the order in which things come to wait.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc, { type Scheduler } from 'fast-check';
import { keyPepper } from '../../../server/accounts/api-key-format.ts';
import { type KeyCache, openKeyCache } from '../../../server/accounts/key-cache.ts';
import type { Database } from '../../../server/database/database.ts';
import type { TestEngine } from '../../kit/scratch-database.ts';
import { testSecret } from '../../kit/seed.ts';
import { empty, openSimulatedDatabase } from './simulated-time.ts';
import { withoutWaiting } from './turns.ts';
import { World } from './world.ts';

/** Deleted rows slow the looks at a table down, and a truncation takes longer than a world. */
const thoroughlyEvery = 25;
/** More than any story that is written down here has. */
const turnsMax = 5000;

/** A held resource. */
export class Ground {
  readonly db: Database;
  readonly keys: KeyCache;
  readonly folder: string;
  /** For connections of one's own; PostgreSQL only. */
  readonly url: string | undefined;
  readonly #close: () => Promise<void>;
  #worlds = 0;

  private constructor(parts: Pick<Ground, 'db' | 'keys' | 'folder' | 'url' | 'close'>) {
    ({ db: this.db, keys: this.keys, folder: this.folder, close: this.#close } = parts);
    this.url = parts.url;
  }

  static async open(engine: TestEngine): Promise<Ground> {
    const scratch = await openSimulatedDatabase(engine);
    const { db, url } = scratch;
    const folder = await mkdtemp(join(tmpdir(), 'vidgen-money-'));
    await mkdir(join(folder, 'downloads'));
    const keys = await openKeyCache(db, { pepper: keyPepper(testSecret) });
    const close = async () => {
      await keys.close();
      await scratch.close();
      await rm(folder, { recursive: true, force: true });
    };
    return new Ground({ db, keys, folder, url, close });
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** A new world, alone on the database; whoever waits in it waits for a turn, not for time. */
  async world(scheduler: Scheduler, story: (world: World) => Promise<void>): Promise<World> {
    this.#worlds += 1;
    await empty(this.db, { thoroughly: this.#worlds % thoroughlyEvery === 0 });
    const world = new World(this, scheduler);
    await withoutWaiting(world.turns, () => story(world));
    return world;
  }

  /** First come, first served. */
  async tell(story: (world: World) => Promise<void>): Promise<World> {
    const inOrder = Array.from({ length: turnsMax }, (_, at) => at + 1);
    return await this.world(fc.schedulerFor(inOrder), story);
  }
}
