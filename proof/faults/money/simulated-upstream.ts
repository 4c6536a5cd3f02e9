/**
 * Providers that end a generation when a test says so, one per kind of protection, and a scripted
 * webhook receiver. They record every request, so that a generation paid for twice shows.
 */

import type { ModelName } from '@vidgen/contract/models.ts';
import type { Egress } from '../../../server/egress/egress.ts';
import { saveStream } from '../../../server/egress/save-stream.ts';
import type {
  CancelResult,
  Provider,
  StartRequest,
  StartResult,
  StatusResult,
} from '../../../server/providers/provider.ts';
import {
  createRegistry,
  type ProviderLimits,
  type Registry,
} from '../../../server/providers/registry.ts';
import {
  createScriptedProvider,
  type ScriptedProvider,
  type StartStep,
  type StatusStep,
} from '../../kit/scripted-provider.ts';
import type { TaskEnd } from './model.ts';
import type { StepScheduler } from './step-scheduler.ts';

/** The ends of a generation at a provider, and the resulting ends of the task. */
export const endings = {
  completed: 'completed',
  failed: 'provider_failed',
  rejected: 'provider_rejected',
  material: 'material_unavailable',
  timed_out: 'timed_out',
  vanished: 'provider_failed',
  /** Generated, but its file can never be downloaded. */
  uncollectable: 'provider_failed',
} as const satisfies Record<string, TaskEnd>;
export type ProviderEnd = keyof typeof endings;

export type ScriptedOutcome = {
  /** One step per attempt; the last one repeats. */
  readonly start: readonly StartStep[];
  readonly cancel: CancelResult;
  /** The end when no command ends it before; `never` waits for the deadline. */
  readonly finally: ProviderEnd | 'never';
  /** The status of each webhook attempt; the last one repeats. */
  readonly receiver: readonly number[];
};

/** The provider of each model, and its protection against paying twice. */
export const makers = {
  'vidgen-2-0-mini': { name: 'keyed', protection: 'idempotency-key' },
  'vidgen-2-0-fast': { name: 'looked-up', protection: 'look-up' },
  'vidgen-2-0': { name: 'blind', protection: 'none' },
} as const satisfies Partial<Record<ModelName, Pick<Provider, 'name' | 'protection'>>>;

type SimulatedGeneration = {
  readonly scripted: ScriptedOutcome;
  readonly script: { readonly start: ScriptedOutcome['start']; readonly status: StatusStep[] };
  state: 'running' | 'ended' | 'stopped';
};

/** `operation` is known here also when the response was lost. */
type StartRecord = {
  readonly prompt: string;
  readonly provider: string;
  readonly reference: string;
  readonly operation: string | undefined;
};

export type BookEntry = { readonly operation: string; readonly micros: number };

export type SentWebhook = { readonly messageId: string; readonly body: string };

export class SimulatedUpstream {
  readonly registry: Registry;
  readonly webhooks: SentWebhook[] = [];
  readonly #steps: StepScheduler;
  readonly #providers: readonly ScriptedProvider[];
  /** By the prompt, which is unique per create. */
  readonly #generations = new Map<string, SimulatedGeneration>();
  readonly #starts: StartRecord[] = [];
  #elapsedMs = 0;

  constructor(steps: StepScheduler) {
    this.#steps = steps;
    const [preview, tried] = ['preview', 'tried'].map((name) => this.#scripted({ name }));
    const made = Object.values(makers).map((maker) => this.#scripted(maker));
    this.#providers = [preview!, tried!, ...made];
    const named = made.map((provider) => [provider.name, this.#withSteps(provider)]);
    // The clock of the circuit breaker is simulated, too.
    const breaker = { elapsed: () => this.#elapsedMs } as ProviderLimits;
    this.registry = createRegistry({
      providers: Object.fromEntries(named),
      limits: Object.fromEntries(this.#providers.map(({ name }) => [name, breaker])),
      routes: Object.fromEntries(
        Object.entries(makers).map(([model, { name }]) => [model, [name]]),
      ),
      preview: this.#withSteps(preview!),
      testPreview: this.#withSteps(tried!),
    });
  }

  passTime(seconds: number): void {
    this.#elapsedMs += seconds * 1000;
  }

  expect(prompt: string, scripted: ScriptedOutcome): void {
    const script = { start: scripted.start, status: ['pending'] as StatusStep[] };
    this.#generations.set(prompt, { scripted, script, state: 'running' });
  }

  /** Ends a generation and returns the end that the task may have; null when it had ended. */
  end(prompt: string, how: ProviderEnd): TaskEnd | null {
    const generation = this.#generations.get(prompt)!;
    if (generation.state !== 'running') return null;
    generation.state = 'ended';
    generation.script.status[0] = statusStepFor(how, billedMicros(prompt));
    return endings[how];
  }

  scriptedOutcome(prompt: string): ScriptedOutcome {
    return this.#generations.get(prompt)!.scripted;
  }

  isStopped(prompt: string): boolean {
    return this.#generations.get(prompt)?.state === 'stopped';
  }

  /** Whether a generation was billed although no task uses it. */
  isForNobody(prompt: string): boolean {
    const { state, script } = this.#generations.get(prompt)!;
    const isMade = typeof script.status[0] === 'object' && script.status[0].outcome === 'completed';
    const isBilled = state === 'running' || (state === 'ended' && isMade);
    return isBilled && this.startsFor(prompt).some(({ operation }) => operation !== undefined);
  }

  /** What the provider bills: each operation that it did not stop, whatever came of it. */
  book(provider: string): BookEntry[] {
    return this.#starts.flatMap(({ provider: name, prompt, operation }) =>
      name !== provider || operation === undefined || this.isStopped(prompt)
        ? []
        : [{ operation, micros: billedMicros(prompt) }],
    );
  }

  /** The references under which providers were asked for it. */
  startsFor(prompt: string): StartRecord[] {
    return this.#starts.filter((start) => start.prompt === prompt);
  }

  paidTwice(): string[] {
    return this.#providers.flatMap((provider) => provider.startedTwice());
  }

  readonly post: Egress['post'] = ({ body, headers }) =>
    this.#steps.schedule('call', async () => {
      const { id } = JSON.parse(String(body)) as { id: string };
      const before = this.webhooks.filter((webhook) => webhook.body.includes(id)).length;
      this.webhooks.push({ messageId: headers['webhook-id']!, body: String(body) });
      const statuses = this.receivers.get(id) ?? [200];
      const status = statuses[Math.min(before, statuses.length - 1)]!;
      return { outcome: 'response', status, body: '', durationMs: 1 };
    });

  /** By task ID: the statuses that its receiver returns. */
  readonly receivers = new Map<string, readonly number[]>();

  #scripted(maker: Partial<Pick<Provider, 'name' | 'protection'>>): ScriptedProvider {
    const script = ({ generation }: { generation: { prompt: string } }) =>
      this.#generations.get(generation.prompt)!.script;
    return createScriptedProvider({ ...maker, script, results: { folder: '/nowhere' } });
  }

  #withSteps(provider: ScriptedProvider): Provider {
    const steps = this.#steps;
    const { find } = provider;
    return {
      ...provider,
      start: (request) => steps.schedule('start', () => this.#start(provider, request)),
      status: (request) => steps.schedule('status', () => provider.status(request)),
      cancel: (operation) => steps.schedule('cancel', () => this.#cancel(provider, operation)),
      ...(find ? { find: (...args) => steps.schedule('find', () => find(...args)) } : {}),
      readCallback: async ({ body }) => JSON.parse(body.toString()),
    };
  }

  async #start(provider: ScriptedProvider, request: StartRequest): Promise<StartResult> {
    const { reference, generation } = request;
    const { name } = provider;
    const before = provider.generations(reference);
    try {
      return await provider.start(request);
    } finally {
      const hasBegun = provider.generations(reference) > before;
      const others = this.#starts.filter((one) => one.provider === name && one.operation);
      // The scripted provider numbers operations in the order of their start.
      const operation = hasBegun ? `${name}-operation-${others.length + 1}` : undefined;
      this.#starts.push({ prompt: generation.prompt, provider: name, reference, operation });
    }
  }

  async #cancel(provider: ScriptedProvider, operation: string): Promise<CancelResult> {
    await provider.cancel(operation);
    const { reference } = provider.calls.at(-1)!;
    const startCall = provider.calls.find((call) => call.start && call.reference === reference);
    const generation = this.#generations.get(startCall?.start?.generation.prompt ?? '');
    if (generation?.state !== 'running') return 'ended';
    if (generation.scripted.cancel !== 'stopped') return generation.scripted.cancel;
    generation.state = 'stopped';
    generation.script.status[0] = { outcome: 'failed', reason: 'failed', detail: 'stopped' };
    return 'stopped';
  }
}

/** Another amount for almost every prompt, down to the micro. */
const billedMicros = (prompt: string): number =>
  100_001 + ((Number(prompt.split(' ').at(-1)) * 70_001) % 900_007);

const failures = {
  failed: { reason: 'failed' },
  rejected: { reason: 'rejected', rejectedPart: 'output' },
  material: { reason: 'material' },
  timed_out: { reason: 'timed_out' },
} as const;

function statusStepFor(how: ProviderEnd, micros: number): StatusStep {
  const cost = { amount: micros / 1e6 };
  if (how === 'completed' || how === 'uncollectable') {
    const result: StatusResult = {
      outcome: 'completed',
      cost,
      video: {
        download: async ({ into }) => {
          if (how === 'uncollectable') return { saved: false, detail: 'gone' };
          return { saved: true, bytes: await saveStream([Buffer.from('a video')], into) };
        },
      },
    };
    return result;
  }
  return how === 'vanished' ? how : { outcome: 'failed', ...failures[how], detail: how, cost };
}
