/**
 * The built-in provider: real clips without an account, a GPU or a network. `start` only hands
 * out a name; `status` renders, for as long as it takes, while its caller keeps the lease. Nothing
 * is kept between the two, so any process can go on where another stopped.
 */
import { fileURLToPath } from 'node:url';
import type { CheckReport } from '@vidgen/preview/job.ts';
import { nowMs } from '../clock.ts';
import type { Provider, StatusAnswer, StatusRequest } from './provider.ts';
import { megapixelsIn } from './render-limits.ts';
import { checkRenderer } from './render-process.ts';
import { openStudio, type Studio, type StudioOptions } from './render-studio.ts';

export type PreviewOptions = Omit<StudioOptions, 'renderer'> & {
  /** The renderer's program; tests bring their own. */
  readonly renderer?: string;
};

export type Previews = {
  readonly preview: Provider;
  /** The same for test keys, whose prompts may force an outcome. Both share slots and folder. */
  readonly testPreview: Provider;
  /** Whether this machine can render at all, and if not, why. */
  canRender(): Promise<CheckReport>;
};

export type ForcedOutcome = 'fail' | 'reject' | 'timeout' | 'slow';

/** Decisions, "Test keys": `[test:slow]` completes after this long. */
const slowMs = 60_000;

export async function createPreviews(options: PreviewOptions): Promise<Previews> {
  const renderer =
    options.renderer ?? fileURLToPath(import.meta.resolve('@vidgen/preview/render.ts'));
  const studio = await openStudio({ ...options, renderer });
  const shared = {
    // The same reference always gives the same clip, and nobody is billed for it.
    protection: 'idempotency-key',
    // At its best; a busy machine takes longer, but then it is worth trying all the same.
    usualSeconds: (generation) => Math.ceil(megapixelsIn(generation) * 0.01),
    status: (request) => statusOf(studio, request),
    async cancel(operation) {
      await studio.stop(operation);
      return 'stopped';
    },
    close: () => studio.close(),
  } satisfies Omit<Provider, 'name' | 'start'>;
  return {
    preview: {
      ...shared,
      name: 'preview',
      start: async ({ reference }) => accepted(`preview:${reference}`),
    },
    testPreview: {
      ...shared,
      name: 'test-preview',
      start: async ({ reference, generation }) => {
        const forced = forcedOutcome(generation.prompt);
        // The operation itself says what was forced and since when: it outlives this process.
        const mark = forced ? `${forced}@${nowMs()}:` : '';
        return accepted(`preview:${mark}${reference}`);
      },
    },
    canRender: () => checkRenderer(renderer),
  };
}

/** Decisions, "Test keys": what a mark in the prompt forces, the first of several. */
export function forcedOutcome(prompt: string): ForcedOutcome | null {
  const [, mark] = /\[test:(fail|reject|timeout|slow)\]/.exec(prompt) ?? [];
  return (mark as ForcedOutcome | undefined) ?? null;
}

async function statusOf(studio: Studio, request: StatusRequest): Promise<StatusAnswer> {
  const { forced, startedMs } = readOperation(request.operation);
  switch (forced) {
    case 'fail':
      return { outcome: 'failed', reason: 'failed', detail: 'forced by [test:fail]' };
    case 'reject':
      return { outcome: 'failed', reason: 'rejected', detail: 'forced by [test:reject]' };
    case 'timeout':
      return { outcome: 'pending', askAgainSeconds: 1 };
    case 'slow': {
      const secondsLeft = (startedMs + slowMs - nowMs()) / 1000;
      if (secondsLeft <= 0) return await studio.look(request);
      return { outcome: 'pending', askAgainSeconds: Math.min(10, Math.max(0.1, secondsLeft)) };
    }
    case null:
      return await studio.look(request);
  }
}

const accepted = (operation: string) => ({ outcome: 'accepted', operation }) as const;

function readOperation(operation: string): {
  readonly forced: ForcedOutcome | null;
  readonly startedMs: number;
} {
  const [, forced, startedMs] = /^preview:(fail|reject|timeout|slow)@(\d+):/.exec(operation) ?? [];
  return {
    forced: (forced as ForcedOutcome | undefined) ?? null,
    startedMs: Number(startedMs ?? 0),
  };
}
