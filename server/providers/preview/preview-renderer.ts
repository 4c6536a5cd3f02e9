/**
 * Renders previews: a few at once, each in its own process, in a folder that is deleted afterwards.
 * An operation is never rendered twice at the same time.
 */
import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Generation, outputSecondsMax } from '@vidgen/contract/create-generation.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import type { CheckReport, JobMaterial, RenderJob } from '@vidgen/renderer/render-job.ts';
import { linkSignals, startDeadline } from '../../process/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type { StatusRequest, StatusResult } from '../provider.ts';
import {
  type FetchMaterial,
  fetchMaterials,
  hasMaterials,
  type MaterialByteLimits,
} from '../toolkit/materials.ts';
import { closeRenderFolder } from './render-folder.ts';
import { megapixelsIn, renderLimitsOf } from './render-limits.ts';
import { outputIn, removeOutput, takeOver } from './render-output.ts';
import {
  checkRenderer,
  compileCacheFolder,
  type RenderResult,
  runRenderer,
} from './render-process.ts';
import { RenderSlots, type SlotGrant, type SlotRequest, waitingMax } from './render-slots.ts';

export type RendererOptions = {
  /** For materials and videos in progress; each process has its own subfolder. */
  readonly folder: string;
  /** Renders at once. One needs about 0.4 GB up to 720p, 0.5 GB at 1080p, 1.3 GB at 4k. */
  readonly slots: number;
  readonly fetchMaterial: FetchMaterial;
  readonly materialBytesMax: MaterialByteLimits;
  readonly log: Pick<Log, 'debug'>;
  readonly renderer: string;
  /** A folder that all renders may write to, for tests that record what ran. */
  readonly sharedFolder?: string;
  /** How long a poll waits for a slot. */
  readonly waitMs?: number;
};

type RenderRequest = StatusRequest & { readonly isTest: boolean };

type Rendering = {
  progress: number;
  readonly cancelled: AbortController;
  done: Promise<unknown>;
};

type Run = {
  readonly request: RenderRequest;
  readonly rendering: Rendering;
  readonly signal: AbortSignal;
  /** Its own: for materials, job file and output; deleted afterwards. */
  readonly workFolder: string;
  readonly out: RenderJob['out'];
};

/** Afterwards the task is polled again at once, possibly by a process with a free slot. */
const defaultWaitMs = 5_000;
const retrySeconds = 0.05;
/** When the waiting list is full, it stays full for longer than this. */
const queueFullSeconds = 5;
/** Slow hosts must not hold a slot for long; a material that is missing then is drawn as a card. */
const fetchMsMax = 60_000;

/** The most polls at once, each of which holds a lease. */
export const rendersMax = (slots: number): number => 2 * (slots + waitingMax);

const pending = { outcome: 'pending', pollAfterSeconds: 1 } as const;

export class PreviewRenderer {
  readonly #options: RendererOptions;
  readonly #folder: string;
  readonly #renderSlots: RenderSlots;
  /** Separate, so that a download from a slow host does not occupy a render slot. */
  readonly #fetchSlots: RenderSlots;
  readonly #renderings = new Map<string, Rendering>();
  readonly #closing = new AbortController();
  #checking: Promise<unknown> | undefined;
  #closed: Promise<void> | undefined;

  /** `folder` is that of `openRenderFolder`. */
  constructor(options: RendererOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#renderSlots = new RenderSlots(options.slots);
    this.#fetchSlots = new RenderSlots(options.slots);
  }

  /**
   * Renders to the end. Returns `pending` when the operation is being rendered by another poll or
   * no slot is free.
   */
  async renderTask(request: RenderRequest): Promise<StatusResult> {
    const { operation, generation } = request;
    const active = this.#renderings.get(operation);
    if (active) return { ...pending, progress: active.progress };
    const cancelled = new AbortController();
    const rendering: Rendering = { progress: 0, cancelled, done: Promise.resolve() };
    // A unique name: a poll that lost its lease must not delete the video of the next one.
    const name = randomUUID();
    const stopping = linkSignals([request.signal, this.#closing.signal, cancelled.signal]);
    const result = this.#runRequest({
      request,
      rendering,
      signal: stopping.signal,
      workFolder: join(this.#folder, name),
      out: {
        video: join(this.#folder, `${name}.mp4`),
        lastFrame: generation.returnLastFrame ? join(this.#folder, `${name}.jpg`) : null,
      },
    });
    rendering.done = result.catch(() => {});
    this.#renderings.set(operation, rendering);
    return await result.finally(() => {
      stopping[Symbol.dispose]();
      this.#renderings.delete(operation);
    });
  }

  /** Resolves when nothing of the operation runs in this process any more. */
  async stop(operation: string): Promise<void> {
    const rendering = this.#renderings.get(operation);
    rendering?.cancelled.abort();
    await rendering?.done;
  }

  /** Renders one second of video, without a slot, to find out whether this machine can. */
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

  async #runRequest(run: Run): Promise<StatusResult> {
    const { request, signal, workFolder } = run;
    const { waitMs = defaultWaitMs } = this.#options;
    const slotRequest = slotRequestOf(request);
    if (!hasMaterials(request.generation)) {
      const renderSlot = await this.#renderSlots.acquire(slotRequest, { waitMs, signal });
      return await this.#render(run, renderSlot, []);
    }
    const fetchSlot = await this.#fetchSlots.acquire(slotRequest, { waitMs, signal });
    if (fetchSlot.outcome !== 'granted') return noSlot(fetchSlot);
    try {
      const materials = await this.#fetch(run);
      // Without a time limit, so that the downloads are not lost.
      const renderSlot = await this.#renderSlots.acquire(slotRequest, { signal });
      fetchSlot.release();
      return await this.#render(run, renderSlot, materials);
    } finally {
      fetchSlot.release();
      await rm(workFolder, { recursive: true, force: true });
    }
  }

  async #fetch({ request, signal, workFolder }: Run): Promise<readonly JobMaterial[]> {
    const { fetchMaterial, materialBytesMax: sizes, log } = this.#options;
    using deadline = startDeadline(fetchMsMax, [signal]);
    const materials = await fetchMaterials(fetchMaterial, {
      generation: request.generation,
      folder: join(workFolder, 'materials'),
      signal: deadline.signal,
      sizes,
    });
    const missing = materials.filter(({ file }) => file === null).map(({ title }) => title);
    if (missing.length > 0) log.debug({ missing }, 'materials drawn as cards');
    return materials;
  }

  async #render(
    run: Run,
    renderSlot: SlotGrant,
    materials: readonly JobMaterial[],
  ): Promise<StatusResult> {
    if (renderSlot.outcome !== 'granted') return noSlot(renderSlot);
    let result: StatusResult | undefined;
    try {
      result = toStatusResult(await takeOver(await this.#runJob(run, materials), run), run);
      return result;
    } finally {
      renderSlot.release();
      await rm(run.workFolder, { recursive: true, force: true });
      // The caller takes over a finished video; an incomplete one is deleted.
      if (result?.outcome !== 'completed') await removeOutput(run.out);
    }
  }

  async #runJob(
    { request, rendering, signal, workFolder, out }: Run,
    materials: readonly JobMaterial[],
  ): Promise<RenderResult> {
    const { generation, reference, onProgress } = request;
    const seed = seedOf(generation, reference);
    const { pricedSeconds = null } = request;
    const ownOut = outputIn(workFolder, out);
    const limits = limitsOf(generation);
    const job: RenderJob = { generation, materials, seed, pricedSeconds, limits, out: ownOut };
    const jobFile = join(workFolder, 'job.json');
    await mkdir(workFolder, { recursive: true });
    await writeFile(jobFile, JSON.stringify(job));
    await copyCompileCache({ from: this.#folder, into: workFolder });
    return await runRenderer({
      renderer: this.#options.renderer,
      jobFile,
      folder: workFolder,
      sharedFolder: this.#options.sharedFolder,
      limits: renderLimitsOf(generation),
      signal,
      onProgress: (share) => {
        rendering.progress = share;
        onProgress(share);
      },
    });
  }
}

/** As in docs/spec.md 4.3; a create has checked those of a declared model. */
const limitsOf = ({ model }: Generation): RenderJob['limits'] =>
  model === 'vidgen-2-5'
    ? { combinedSecondsMax: 30, extendsVideos: true }
    : {
        combinedSecondsMax: modelNames.some((name) => name === model) ? 15 : outputSecondsMax,
        extendsVideos: false,
      };

/** What the self-test compiled; absent before it has run. */
async function copyCompileCache({ from, into }: { from: string; into: string }): Promise<void> {
  await cp(join(from, compileCacheFolder), join(into, compileCacheFolder), {
    recursive: true,
  }).catch(() => {});
}

const slotRequestOf = ({ accountId, taskId, generation, isTest }: RenderRequest): SlotRequest => ({
  accountId,
  taskId,
  isTest,
  size: megapixelsIn(generation),
  isLarge: generation.resolution === '4k',
});

const noSlot = ({ outcome }: SlotGrant): StatusResult => ({
  ...pending,
  pollAfterSeconds: outcome === 'queue_full' ? queueFullSeconds : retrySeconds,
});

/** Without a seed every task differs, but a retry of a task yields the same video. */
function seedOf({ seed }: Generation, reference: string): number {
  if (seed !== null && seed >= 0) return seed;
  return createHash('sha256').update(`seed ${reference}`).digest().readUInt32LE(0);
}

function toStatusResult(
  renderResult: RenderResult,
  { signal, out }: Pick<Run, 'signal' | 'out'>,
): StatusResult {
  // Stopped by this process, so no one waits for the result.
  if (signal.aborted || renderResult.outcome === 'stopped') return pending;
  if (renderResult.outcome === 'failed') return renderResult;
  const { video, lastFrame } = out;
  return {
    outcome: 'completed',
    video: { file: video },
    ...(lastFrame === null ? {} : { lastFrame: { file: lastFrame } }),
    outputSeconds: renderResult.seconds,
  };
}
