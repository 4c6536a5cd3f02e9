/**
 * Where previews are made: a few clips at once, each by a process of its own, in a folder that is
 * emptied behind it. Rendering an operation twice at the same time is not possible.
 */
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { CheckReport, JobMaterial, RenderJob } from '@vidgen/renderer/render-job.ts';
import { timeoutSignal } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { StatusAnswer, StatusRequest } from '../provider.ts';
import type { FetchMaterial, MaterialSizes } from '../toolkit/fetch-material.ts';
import { closeRenderFolder, openRenderFolder } from './render-folder.ts';
import { limitsOf, megapixelsIn } from './render-limits.ts';
import { fetchMaterials, hasMaterials } from './render-materials.ts';
import { type Claimant, RenderPlaces, type Seat, waitingMax } from './render-places.ts';
import { checkRenderer, type RenderEnd, runRenderer } from './render-process.ts';

export type StudioOptions = {
  /** Materials and clips stand here for a moment, each process in its own part. */
  readonly folder: string;
  /** Clips made at once. A clip takes about 0.4 GB up to 720p, 0.5 GB at 1080p, 1.3 GB at 4k. */
  readonly slots: number;
  readonly fetchMaterial: FetchMaterial;
  readonly materialBytesMax: MaterialSizes;
  readonly log: Pick<Log, 'debug'>;
  /** The renderer's program. */
  readonly renderer: string;
  /** How long a look waits for a place. */
  readonly waitMs?: number;
};

/** A look at a generation, and whether it was made with a test key. */
export type Order = StatusRequest & { readonly isTest: boolean };

type Rendering = {
  progress: number;
  readonly cancelled: AbortController;
  done: Promise<unknown>;
};

/** One order on its way through the studio. */
type Run = {
  readonly order: Order;
  readonly rendering: Rendering;
  readonly signal: AbortSignal;
  /** For its materials and its job; gone afterwards. */
  readonly workplace: string;
  readonly out: RenderJob['out'];
};

/** Then it comes back at once; meanwhile another process with a free place may have taken it. */
const waitMsDefault = 5_000;
const comeBackSeconds = 0.05;
/** Where more wait than there is room for, the room lasts for longer than this. */
const crowdedSeconds = 5;
/** Slow addresses must not hold a place for ever; what has not come by then is drawn as a card. */
const fetchMsMax = 60_000;

/** Looks that one studio holds at the most, and for each its caller a lease. */
export const looksMax = (slots: number): number => 2 * (slots + waitingMax);

const pending = { outcome: 'pending', askAgainSeconds: 1 } as const;

export async function openStudio(options: StudioOptions): Promise<Studio> {
  return new Studio(options, await openRenderFolder(options.folder));
}

export class Studio {
  readonly #options: StudioOptions;
  readonly #folder: string;
  readonly #rendering: RenderPlaces;
  /** Of their own: whoever waits for a slow address keeps no processor waiting. */
  readonly #fetching: RenderPlaces;
  readonly #renderings = new Map<string, Rendering>();
  readonly #closing = new AbortController();
  #checking: Promise<unknown> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: StudioOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#rendering = new RenderPlaces(options.slots);
    this.#fetching = new RenderPlaces(options.slots);
  }

  /** Renders to the end; or says how far another look has brought it, or that all is busy. */
  async look(order: Order): Promise<StatusAnswer> {
    const { operation, reference, generation } = order;
    const already = this.#renderings.get(operation);
    if (already) return { ...pending, progress: already.progress };
    const cancelled = new AbortController();
    const rendering: Rendering = { progress: 0, cancelled, done: Promise.resolve() };
    // References are ours but secret: no file name tells one.
    const name = createHash('sha256').update(reference).digest('hex').slice(0, 24);
    const answer = this.#serve({
      order,
      rendering,
      signal: AbortSignal.any([order.signal, this.#closing.signal, cancelled.signal]),
      workplace: join(this.#folder, name),
      out: {
        video: join(this.#folder, `${name}.mp4`),
        lastFrame: generation.returnLastFrame ? join(this.#folder, `${name}.jpg`) : null,
      },
    });
    rendering.done = answer.catch(() => {});
    this.#renderings.set(operation, rendering);
    return await answer.finally(() => this.#renderings.delete(operation));
  }

  /** When it resolves, nothing of the operation runs here any more. */
  async stop(operation: string): Promise<void> {
    const rendering = this.#renderings.get(operation);
    rendering?.cancelled.abort();
    await rendering?.done;
  }

  /** Makes a clip of a second, beside everything else: can this machine do it, and how? */
  async check(): Promise<CheckReport> {
    const { renderer } = this.#options;
    const checking = checkRenderer({
      renderer,
      folder: this.#folder,
      signal: this.#closing.signal,
    });
    this.#checking = checking.catch(() => {});
    return await checking;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#renderings.values()].map(({ done }) => done));
    await this.#checking;
    await closeRenderFolder(this.#folder);
  }

  async #serve(run: Run): Promise<StatusAnswer> {
    const { order, signal, workplace } = run;
    const { waitMs = waitMsDefault } = this.#options;
    const claimant = claimantOf(order);
    if (!hasMaterials(order.generation)) {
      const seat = await this.#rendering.take(claimant, { waitMs, signal });
      return await this.#render(run, seat, []);
    }
    const place = await this.#fetching.take(claimant, { waitMs, signal });
    if (place.outcome !== 'seated') return notSeated(place);
    try {
      const materials = await this.#fetch(run);
      // However long it takes: what was fetched is not thrown away.
      const seat = await this.#rendering.take(claimant, { signal });
      place.release();
      return await this.#render(run, seat, materials);
    } finally {
      place.release();
      await rm(workplace, { recursive: true, force: true });
    }
  }

  async #fetch({ order, signal, workplace }: Run): Promise<readonly JobMaterial[]> {
    const { fetchMaterial, materialBytesMax: sizes, log } = this.#options;
    const materials = await fetchMaterials(fetchMaterial, {
      generation: order.generation,
      folder: join(workplace, 'materials'),
      signal: AbortSignal.any([signal, timeoutSignal(fetchMsMax)]),
      sizes,
    });
    const missing = materials.filter(({ file }) => file === null).map(({ title }) => title);
    if (missing.length > 0) log.debug({ missing }, 'materials drawn as cards');
    return materials;
  }

  async #render(run: Run, seat: Seat, materials: readonly JobMaterial[]): Promise<StatusAnswer> {
    if (seat.outcome !== 'seated') return notSeated(seat);
    let answer: StatusAnswer | undefined;
    try {
      answer = answerOf(await this.#make(run, materials), run);
      return answer;
    } finally {
      seat.release();
      await rm(run.workplace, { recursive: true, force: true });
      // A finished clip is its reader's; half of one is nobody's.
      if (answer?.outcome !== 'completed') await removeFiles(run.out);
    }
  }

  async #make(
    { order, rendering, signal, workplace, out }: Run,
    materials: readonly JobMaterial[],
  ): Promise<RenderEnd> {
    const { generation, reference, onProgress } = order;
    const job: RenderJob = { generation, materials, seed: seedOf(generation, reference), out };
    const jobFile = join(workplace, 'job.json');
    await mkdir(workplace, { recursive: true });
    await writeFile(jobFile, JSON.stringify(job));
    return await runRenderer({
      renderer: this.#options.renderer,
      jobFile,
      folder: this.#folder,
      limits: limitsOf(generation),
      signal,
      onProgress: (share) => {
        rendering.progress = share;
        onProgress(share);
      },
    });
  }
}

const claimantOf = ({ accountId, taskId, generation, isTest }: Order): Claimant => ({
  accountId,
  taskId,
  isTest,
  size: megapixelsIn(generation),
  isLarge: generation.resolution === '4k',
});

const notSeated = ({ outcome }: Seat): StatusAnswer => ({
  ...pending,
  askAgainSeconds: outcome === 'crowded' ? crowdedSeconds : comeBackSeconds,
});

/** Without a seed every task differs, and yet a second try at the same one makes the same clip. */
function seedOf({ seed }: Generation, reference: string): number {
  if (seed !== null && seed >= 0) return seed;
  return createHash('sha256').update(`seed ${reference}`).digest().readUInt32LE(0);
}

function answerOf(end: RenderEnd, { signal, out }: Pick<Run, 'signal' | 'out'>): StatusAnswer {
  // Stopped by us: whoever asked for that does not wait for this answer.
  if (signal.aborted || end.outcome === 'stopped') return pending;
  if (end.outcome === 'failed') return end;
  const { video, lastFrame } = out;
  return {
    outcome: 'completed',
    video: { file: video },
    ...(lastFrame === null ? {} : { lastFrame: { file: lastFrame } }),
    outputSeconds: end.seconds,
  };
}

async function removeFiles({ video, lastFrame }: RenderJob['out']): Promise<void> {
  await rm(video, { force: true });
  if (lastFrame !== null) await rm(lastFrame, { force: true });
}
