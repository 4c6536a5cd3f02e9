/**
 * A provider that follows a test's script, without network or timers: it waits only for promises of
 * the script. It records every call and counts the generations of each reference, which proves that
 * nothing started twice.
 */
import { mkdtempSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type {
  CancelResult,
  FindResult,
  Protection,
  Provider,
  ResultSource,
  StartRequest,
  StartResult,
  StatusResult,
} from '../../server/providers/provider.ts';
import { resultFramePath, resultVideoPath } from './result-server.ts';

const startResults = {
  throttled: { outcome: 'throttled', retryAfterSeconds: 1, detail: 'scripted' },
  busy: { outcome: 'throttled', retryAfterSeconds: 1, detail: 'scripted', busy: true },
  refused: { outcome: 'rejected', canFailOver: true, reason: 'failed', detail: 'scripted' },
  rejected: {
    outcome: 'rejected',
    canFailOver: false,
    reason: 'rejected',
    rejectedPart: 'prompt',
    detail: 'scripted',
  },
  /** Not started, with an unknown outcome. */
  nothing: { outcome: 'unknown', detail: 'scripted: nothing started' },
} as const satisfies Record<string, StartResult>;

const statusResults = {
  pending: { outcome: 'pending', pollAfterSeconds: 1 },
  paused: { outcome: 'pending', pollAfterSeconds: 1, alert: 'scripted: unknown status' },
  failed: { outcome: 'failed', reason: 'failed', detail: 'scripted' },
  rejected: { outcome: 'failed', reason: 'rejected', rejectedPart: 'output', detail: 'scripted' },
  material: { outcome: 'failed', reason: 'material', detail: 'scripted' },
  timed_out: { outcome: 'failed', reason: 'timed_out', detail: 'scripted' },
  vanished: { outcome: 'lost', detail: 'scripted' },
} as const satisfies Record<string, StatusResult>;

/** `lost`: started, but the response is lost. */
export type StartStep = 'accepted' | 'lost' | keyof typeof startResults | StartResult;
/** `completed` returns a real file. */
export type StatusStep = 'completed' | keyof typeof statusResults | StatusResult;
type CancelStep = CancelResult;
/** `truth`: what really happened. */
type FindStep = 'truth' | Extract<FindResult, { outcome: 'unknown' }>;

/** A step, or one that waits for a promise of the test; `throws` is a bug of the provider. */
export type Scripted<Step> = Step | 'throws' | HeldStep<Step>;
type HeldStep<Step> = { readonly step: Step | 'throws'; readonly until: Promise<unknown> };

/** The steps of one task or reference, in turn; the last one repeats. */
export type Script = {
  readonly start?: readonly Scripted<StartStep>[];
  readonly status?: readonly Scripted<StatusStep>[];
  readonly cancel?: readonly Scripted<CancelStep>[];
  readonly find?: readonly Scripted<FindStep>[];
};

export type ScriptedOptions = {
  readonly name?: string;
  readonly protection?: Protection;
  /** By default: accepted, pending once, completed; cancelling returns `running`. */
  readonly script?: Script | ((request: StartRequest) => Script);
  /** Results are copied into this folder; by default into one that `close` deletes. */
  readonly results?: { readonly folder: string };
  readonly typicalSeconds?: number;
};

type CallKind = 'start' | 'status' | 'cancel' | 'find';
type ScriptedCall = {
  readonly kind: CallKind;
  readonly reference: string | undefined;
  readonly operation: string | undefined;
  readonly start: StartRequest | undefined;
};

export type ScriptedProvider = Provider & {
  readonly calls: readonly ScriptedCall[];
  readonly generations: (reference: string) => number;
  /** References that were started more than once; must be empty. */
  readonly startedTwice: () => readonly string[];
  /** Resolves when `count` calls of a kind have arrived, finished or not. */
  readonly waitForCall: (kind: CallKind, count?: number) => Promise<void>;
};

type StartedGeneration = {
  readonly operation: string;
  readonly request: StartRequest;
  ended: boolean;
};

export function createScriptedProvider(options: ScriptedOptions = {}): ScriptedProvider {
  const { name = 'scripted', protection = 'look-up' } = options;
  const folder = options.results?.folder ?? mkdtempSync(join(tmpdir(), 'vidgen-scripted-'));
  const log = createCallLog();
  const play = createPlayer(options.script);
  const store = createGenerationStore({ name, protection });

  async function find(reference: string): Promise<FindResult> {
    log.note({ kind: 'find', reference, operation: undefined, start: undefined });
    const step = await play<FindStep>({ kind: 'find', reference }, ['truth']);
    if (step !== 'truth') return step;
    const [one] = store.byReference(reference);
    return one ? { outcome: 'found', operation: one.operation } : { outcome: 'absent' };
  }

  return {
    name,
    protection,
    calls: log.calls,
    waitForCall: log.called,
    typicalSeconds: () => options.typicalSeconds ?? 1,
    generations: (reference) => store.byReference(reference).length,
    startedTwice: store.startedTwice,

    async start(request) {
      const { reference } = request;
      log.note({ kind: 'start', reference, operation: undefined, start: request });
      const step = await play<StartStep>({ kind: 'start', reference, request }, ['accepted']);
      if (typeof step !== 'string') return step;
      if (step !== 'accepted' && step !== 'lost') return startResults[step];
      const { operation } = store.begin(request);
      if (step === 'lost') return { outcome: 'unknown', detail: 'scripted: response lost' };
      return { outcome: 'accepted', operation };
    },

    async status({ operation, generation, signal }) {
      const one = store.byOperation(operation);
      const reference = one?.request.reference;
      log.note({ kind: 'status', reference, operation, start: undefined });
      if (!one || !reference) return { outcome: 'lost', detail: 'scripted: no such operation' };
      const stepKey = { kind: 'status', reference, signal } as const;
      const step = await play<StatusStep>(stepKey, ['pending', 'completed']);
      if (signal.aborted) return statusResults.pending;
      one.ended ||= step === 'completed';
      if (step === 'completed') return completed(folder, operation, generation);
      const result = typeof step === 'string' ? statusResults[step] : step;
      one.ended ||= result.outcome !== 'pending';
      return result;
    },

    async cancel(operation) {
      const one = store.byOperation(operation);
      const reference = one?.request.reference;
      log.note({ kind: 'cancel', reference, operation, start: undefined });
      if (!one || !reference || one.ended) return 'ended';
      const step = await play<CancelStep>({ kind: 'cancel', reference }, ['running']);
      one.ended = step === 'stopped';
      return step;
    },

    async close() {
      if (!options.results) await rm(folder, { recursive: true, force: true });
    },

    ...(protection === 'look-up' ? { find } : {}),
  };
}

function createGenerationStore(options: {
  readonly name: string;
  readonly protection: Protection;
}) {
  const started: StartedGeneration[] = [];
  const byReference = (reference: string) =>
    started.filter((one) => one.request.reference === reference);
  return {
    byReference,
    byOperation: (operation: string) => started.find((one) => one.operation === operation),
    /** Starts a generation, unless an idempotency key already has. */
    begin(request: StartRequest): StartedGeneration {
      const [before] = byReference(request.reference);
      if (before && options.protection === 'idempotency-key') return before;
      const operation = `${options.name}-operation-${started.length + 1}`;
      const one = { operation, request, ended: false };
      started.push(one);
      return one;
    },
    startedTwice: (): readonly string[] => {
      const references = new Set(started.map((one) => one.request.reference));
      return [...references].filter((reference) => byReference(reference).length > 1);
    },
  };
}

function createCallLog() {
  const calls: ScriptedCall[] = [];
  const waiting: { kind: CallKind; count: number; resolve: () => void }[] = [];
  const countOf = (kind: CallKind) => calls.filter((call) => call.kind === kind).length;
  return {
    calls: calls as readonly ScriptedCall[],
    note: (call: ScriptedCall): void => {
      calls.push(call);
      for (const waiter of waiting) if (countOf(waiter.kind) >= waiter.count) waiter.resolve();
    },
    called: (kind: CallKind, count = 1): Promise<void> =>
      new Promise((resolve) => {
        waiting.push({ kind, count, resolve });
        if (countOf(kind) >= count) resolve();
      }),
  };
}

type StepKey = {
  readonly kind: CallKind;
  readonly reference: string;
  readonly request?: StartRequest;
  readonly signal?: AbortSignal;
};

/**
 * Finds the next step of a reference, or of a task for its starts, and waits for its promise unless
 * the caller aborts first.
 */
function createPlayer(script: ScriptedOptions['script']) {
  const scripts = new Map<string, Script>();
  const played = new Map<string, number>();

  return async <Step>(stepKey: StepKey, otherwise: readonly Scripted<Step>[]): Promise<Step> => {
    const { kind, reference, request, signal } = stepKey;
    if (typeof script === 'object') scripts.set(reference, script);
    else if (script && request) scripts.set(reference, script(request));
    // A start that created nothing is followed by one with another reference.
    const turn = `${kind} ${request?.taskId ?? reference}`;
    const index = played.get(turn) ?? 0;
    played.set(turn, index + 1);
    const written = scripts.get(reference)?.[kind] as readonly Scripted<Step>[] | undefined;
    const steps = written?.length ? written : otherwise;
    const scripted = steps[Math.min(index, steps.length - 1)]!;
    if (!isHeld(scripted)) return orThrow(scripted, kind);
    await (signal ? Promise.race([scripted.until, aborted(signal)]) : scripted.until);
    return orThrow(scripted.step, kind);
  };
}

/** Callers must survive a provider that throws. */
function orThrow<Step>(step: Step | 'throws', kind: CallKind): Step {
  if (step === 'throws') throw new Error(`scripted: ${kind}`);
  return step;
}

function isHeld<Step>(scripted: Scripted<Step>): scripted is HeldStep<Step> {
  return typeof scripted === 'object' && scripted !== null && 'until' in scripted;
}

async function completed(
  folder: string,
  operation: string,
  generation: Generation,
): Promise<StatusResult> {
  const copy = async (from: URL, name: string): Promise<ResultSource> => {
    const file = join(folder, name);
    await copyFile(from, file);
    return { file };
  };
  const video = await copy(resultVideoPath, `${operation}.mp4`);
  if (!generation.returnLastFrame) return { outcome: 'completed', video };
  const lastFrame = await copy(resultFramePath, `${operation}.jpeg`);
  return { outcome: 'completed', video, lastFrame };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
