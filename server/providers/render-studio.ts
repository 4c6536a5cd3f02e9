/**
 * Where previews are made: a few clips at once, each by a process of its own, in a folder that is
 * emptied behind it. Rendering an operation twice at the same time is not possible.
 */
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { framesPerSecond, type Job, secondsOf } from '@vidgen/preview/job.ts';
import { sizeOf } from '@vidgen/preview/size.ts';
import { timeoutSignal } from '../clock.ts';
import type { Log } from '../log.ts';
import type { StatusAnswer } from './provider.ts';
import { closeRenderFolder, openRenderFolder } from './render-folder.ts';
import { type FetchMaterial, fetchMaterials } from './render-materials.ts';
import { type RenderEnd, runRenderer } from './render-process.ts';
import { createSlots, type Slots } from './render-slots.ts';

export type StudioOptions = {
  /** Materials and clips stand here for a moment, each process in its own part. */
  readonly folder: string;
  /** Clips made at once. A clip takes about 0.4 GB up to 720p, 0.5 GB at 1080p, 1.3 GB at 4k. */
  readonly slots: number;
  readonly fetchMaterial: FetchMaterial;
  readonly log: Pick<Log, 'debug'>;
  /** The renderer's program. */
  readonly renderer: string;
};

export type Order = {
  readonly operation: string;
  readonly reference: string;
  readonly generation: Generation;
  readonly signal: AbortSignal;
};

type Rendering = {
  progress: number;
  readonly cancelled: AbortController;
  done: Promise<unknown>;
};
type Run = { readonly rendering: Rendering; readonly signal: AbortSignal };

/** How long a look waits for a slot: with nobody waiting, a freed slot would stand idle. */
const slotWaitMs = 1000;
/** Slow addresses must not hold a slot for ever; what has not come by then is drawn as a card. */
const fetchMsMax = 60_000;

/** Millions of pixels in the whole clip: what a render's time goes by. */
export function megapixelsIn(generation: Generation): number {
  const { width, height } = sizeOf(generation, null);
  return (width * height * framesPerSecond * secondsOf(generation)) / 1e6;
}

/** Over ten times what an idle core needs: a machine may be busy, but a hung render must end. */
const renderSecondsMax = (generation: Generation): number =>
  Math.ceil(60 + megapixelsIn(generation) * 0.5);

const pending = { outcome: 'pending', askAgainSeconds: 1 } as const;

export async function openStudio(options: StudioOptions): Promise<Studio> {
  return new Studio(options, await openRenderFolder(options.folder));
}

export class Studio {
  readonly #options: StudioOptions;
  readonly #folder: string;
  readonly #slots: Slots;
  /** One at a time: a clip in 4k takes three times the memory of any other. */
  readonly #largeSlots = createSlots(1);
  readonly #renderings = new Map<string, Rendering>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(options: StudioOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#slots = createSlots(Math.max(1, options.slots));
  }

  /** Renders to the end; or says how far another look has brought it, or that all is busy. */
  async look(order: Order): Promise<StatusAnswer> {
    const { operation } = order;
    const already = this.#renderings.get(operation);
    if (already) return { ...pending, progress: already.progress };
    const cancelled = new AbortController();
    const signal = AbortSignal.any([order.signal, this.#closing.signal, cancelled.signal]);
    const rendering: Rendering = { progress: 0, cancelled, done: Promise.resolve() };
    const answer = this.#renderWhenFree(order, { rendering, signal });
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

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#renderings.values()].map(({ done }) => done));
    await closeRenderFolder(this.#folder);
  }

  async #renderWhenFree(order: Order, run: Run): Promise<StatusAnswer> {
    const patience = { waitMs: slotWaitMs, signal: run.signal };
    const isLarge = order.generation.resolution === '4k';
    const releaseLarge = isLarge ? await this.#largeSlots.take(patience) : () => {};
    if (!releaseLarge) return pending;
    const release = await this.#slots.take(patience);
    try {
      return release ? await this.#render(order, run) : pending;
    } finally {
      release?.();
      releaseLarge();
    }
  }

  async #render({ reference, generation }: Order, run: Run): Promise<StatusAnswer> {
    // References are ours but secret: no file name tells one.
    const name = createHash('sha256').update(reference).digest('hex').slice(0, 24);
    const workplace = join(this.#folder, name);
    const out = {
      video: join(this.#folder, `${name}.mp4`),
      lastFrame: generation.returnLastFrame ? join(this.#folder, `${name}.jpg`) : null,
    };
    const job = { generation, out, seed: seedOf(generation, reference) };
    let answer: StatusAnswer | undefined;
    try {
      const end = await this.#make(job, { ...run, workplace });
      answer = answerOf(end, { job, signal: run.signal });
      return answer;
    } finally {
      await rm(workplace, { recursive: true, force: true });
      // A finished clip is its reader's; half of one is nobody's.
      if (answer?.outcome !== 'completed') await removeFiles(out);
    }
  }

  async #make(
    job: Omit<Job, 'materials'>,
    { signal, rendering, workplace }: Run & { readonly workplace: string },
  ): Promise<RenderEnd> {
    const { fetchMaterial, renderer, log } = this.#options;
    const { generation } = job;
    await mkdir(workplace, { recursive: true });
    const materials = await fetchMaterials(fetchMaterial, {
      generation,
      folder: join(workplace, 'materials'),
      signal: AbortSignal.any([signal, timeoutSignal(fetchMsMax)]),
    });
    const missing = materials.filter(({ file }) => file === null).map(({ title }) => title);
    if (missing.length > 0) log.debug({ missing }, 'materials drawn as cards');
    const jobFile = join(workplace, 'job.json');
    await writeFile(jobFile, JSON.stringify({ ...job, materials } satisfies Job));
    return await runRenderer({
      renderer,
      jobFile,
      folder: this.#folder,
      signal: AbortSignal.any([signal, timeoutSignal(renderSecondsMax(generation) * 1000)]),
      onProgress: (share) => {
        rendering.progress = share;
      },
    });
  }
}

/** Without a seed every task differs, and yet a second try at the same one makes the same clip. */
function seedOf({ seed }: Generation, reference: string): number {
  if (seed !== null && seed >= 0) return seed;
  return createHash('sha256').update(`seed ${reference}`).digest().readUInt32LE(0);
}

function answerOf(
  end: RenderEnd,
  { job, signal }: { readonly job: Omit<Job, 'materials'>; readonly signal: AbortSignal },
): StatusAnswer {
  // Stopped by us: whoever asked for that does not wait for this answer.
  if (signal.aborted) return pending;
  if (end.outcome === 'failed') return end;
  if (end.outcome === 'stopped') {
    const detail = `not rendered within ${renderSecondsMax(job.generation)} s`;
    return { outcome: 'failed', reason: 'timed_out', detail };
  }
  const { video, lastFrame } = job.out;
  return {
    outcome: 'completed',
    video: { file: video },
    ...(lastFrame === null ? {} : { lastFrame: { file: lastFrame } }),
    outputSeconds: end.seconds,
  };
}

async function removeFiles({ video, lastFrame }: Job['out']): Promise<void> {
  await rm(video, { force: true });
  if (lastFrame !== null) await rm(lastFrame, { force: true });
}
