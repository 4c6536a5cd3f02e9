/**
 * The built-in provider: real videos without an account, a GPU or a network. `start` only returns
 * an operation; `status` renders while its caller keeps the lease. No state is kept in between, so
 * any process can continue.
 */
import { fileURLToPath } from 'node:url';
import type { CheckReport } from '@vidgen/renderer/render-job.ts';
import { nowMs } from '../../process/clock.ts';
import type { Provider, StatusRequest, StatusResult } from '../provider.ts';
import { PreviewRenderer, type RendererOptions } from './preview-renderer.ts';
import { openRenderFolder } from './render-folder.ts';
import { megapixelsIn } from './render-limits.ts';

/** For live and for test tasks. */
export const previewNames = ['preview', 'test-preview'] as const;
export const isPreview = (provider: string): boolean =>
  previewNames.some((name) => name === provider);

export type PreviewOptions = Omit<RendererOptions, 'renderer'> & {
  /** The path of the renderer; tests replace it. */
  readonly renderer?: string;
};

export type Previews = {
  readonly preview: Provider;
  /** For test keys, whose prompts can force an outcome. Both share slots and folder. */
  readonly testPreview: Provider;
  /** Renders one second of video, to find out whether this machine can. */
  runSelfTest(): Promise<CheckReport>;
};

type ForcedOutcome = 'fail' | 'reject' | 'timeout' | 'slow';

/** Decisions, "Test keys": `[test:slow]` completes after this long. */
const slowMs = 60_000;

export async function createPreviews(options: PreviewOptions): Promise<Previews> {
  const renderer =
    options.renderer ?? fileURLToPath(import.meta.resolve('@vidgen/renderer/render.ts'));
  const folder = await openRenderFolder(options.folder);
  const previewRenderer = new PreviewRenderer({ ...options, renderer }, folder);
  const shared = {
    cutsToPrice: true,
    imageFormats: ['JPEG', 'PNG', 'WebP', 'GIF', 'BMP', 'AVIF'],
    // The same reference always yields the same video, and it costs nothing.
    protection: 'idempotency-key',
    generatesDuringPoll: true,
    // On an idle machine; a busy one takes longer, but the task is tried anyway.
    typicalSeconds: (generation) => Math.ceil(megapixelsIn(generation) * 0.01),
    async cancel(operation) {
      await previewRenderer.stop(operation);
      return 'stopped';
    },
    close: () => previewRenderer.close(),
  } satisfies Omit<Provider, 'name' | 'start' | 'status'>;
  return {
    preview: {
      ...shared,
      name: previewNames[0],
      start: async ({ reference }) => accepted(`preview:${reference}`),
      status: (request) => previewRenderer.renderTask({ ...request, isTest: false }),
    },
    testPreview: {
      ...shared,
      name: previewNames[1],
      // A forced failure is not rendered.
      typicalSeconds: (generation) =>
        isRendered(generation.prompt) ? shared.typicalSeconds(generation) : 0,
      start: async ({ reference, generation }) => {
        const forced = forcedOutcome(generation.prompt);
        // The operation contains the forced outcome and its time, so it survives a restart.
        const mark = forced ? `${forced}@${nowMs()}:` : '';
        return accepted(`preview:${mark}${reference}`);
      },
      status: (request) => testStatusOf(previewRenderer, request),
    },
    runSelfTest: () => previewRenderer.check(),
  };
}

/** The result of the self-test in one line, for the log. */
export function selfTestMessage({ ready, encoder, detail }: Readonly<CheckReport>): string {
  const lines = detail.trim().split('\n');
  // A crash prints its location before its reason.
  const why = lines.find((line) => /^\w*Error: /.test(line)) ?? lines[0];
  if (!ready)
    return `Preview self-test failed: ${why || 'unknown error'}. Preview tasks will fail.`;
  if (encoder === 'native') {
    return 'Preview: native encoder (H.264 by libx264), self-test passed.';
  }
  if (encoder === 'wasm') {
    const reason = why || 'this platform has no native encoder';
    return `Preview: WebAssembly encoder (${reason}); text and image modes only.`;
  }
  return 'Preview: self-test passed.';
}

/** Decisions, "Test keys": returns the first outcome that a prompt forces, or null. */
export function forcedOutcome(prompt: string): ForcedOutcome | null {
  const [, mark] = /\[test:(fail|reject|timeout|slow)\]/.exec(prompt) ?? [];
  return (mark as ForcedOutcome | undefined) ?? null;
}

const isRendered = (prompt: string): boolean => [null, 'slow'].includes(forcedOutcome(prompt));

async function testStatusOf(
  previewRenderer: PreviewRenderer,
  request: StatusRequest,
): Promise<StatusResult> {
  const render = () => previewRenderer.renderTask({ ...request, isTest: true });
  const { forced, startedMs } = readOperation(request.operation);
  switch (forced) {
    case 'fail':
      return { outcome: 'failed', reason: 'failed', detail: 'forced by [test:fail]' };
    case 'reject':
      return {
        outcome: 'failed',
        reason: 'rejected',
        rejectedPart: 'prompt',
        detail: 'forced by [test:reject]',
      };
    case 'timeout':
      return { outcome: 'pending', pollAfterSeconds: 1 };
    case 'slow': {
      const secondsLeft = (startedMs + slowMs - nowMs()) / 1000;
      if (secondsLeft <= 0) return await render();
      return { outcome: 'pending', pollAfterSeconds: Math.min(10, Math.max(0.1, secondsLeft)) };
    }
    case null:
      return await render();
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
