/**
 * Whatever an upstream says, its words and ids stay with the operator: by every adapter, in every
 * way to fail, a customer reads a reason in the API and has a sentence in the dashboard.
 * One engine: the subject is what travels between an upstream, us and a customer.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { ListTasksAnswer } from '@vidgen/contract/list-tasks.ts';
import { type FailedReason, TaskStatusAnswer } from '@vidgen/contract/task-status.ts';
import { CompletionCall, FailureCall } from '@vidgen/contract/webhook-call.ts';
import { sleep } from '../../server/clock.ts';
import type { Provider } from '../../server/providers/provider.ts';
import { harness as comfyUi } from '../kit/comfyui/bench.ts';
import type { Harness } from '../kit/conformance.ts';
import type { Bench, StartTrouble, Turn } from '../kit/conformance-bench.ts';
import { lumenHarness } from '../kit/declared/bench.ts';
import { falHarness } from '../kit/fal/bench.ts';
import { type Journey, startJourney } from '../kit/journey.ts';
import { modelArkHarness } from '../kit/modelark/bench.ts';
import { harnessOf } from '../kit/openai-videos/bench.ts';
import { replicateHarness } from '../kit/replicate/bench.ts';

const harnesses: Readonly<Record<string, Harness>> = {
  comfyui: comfyUi,
  declared: lumenHarness,
  fal: falHarness,
  modelark: modelArkHarness,
  'videos-openai': harnessOf('openai'),
  'videos-vllm': harnessOf('vllm'),
  'videos-sglang': harnessOf('sglang'),
  'videos-gateway': harnessOf('gateway'),
  replicate: replicateHarness,
};

const startTroubles = {
  'content-rejected': 'provider_rejected',
  'input-refused': 'provider_failed',
  'account-refused': 'provider_failed',
} as const satisfies Partial<Record<StartTrouble, FailedReason>>;
const turns = {
  failed: 'provider_failed',
  'content-rejected': 'provider_rejected',
  expired: 'timed_out',
  vanished: 'provider_failed',
  completed: null,
} as const satisfies Partial<Record<Turn, FailedReason | null>>;

let journey: Journey;
const benches = new Map<string, Bench>();

before(async () => {
  const providers: Record<string, Provider> = {};
  for (const [name, harness] of Object.entries(harnesses)) {
    const bench = await harness.open({ impatient: false });
    benches.set(name, bench);
    providers[name] = addressed(name, bench.provider);
  }
  journey = await startJourney({
    providers,
    file: { routes: { 'vidgen-2-0': Object.keys(providers) } },
  });
});
after(async () => {
  await journey.service.auditClean();
  await journey.close();
  for (const bench of benches.values()) await bench.close();
});

/** Takes only the tasks that call it by its name, and asks without waiting. */
function addressed(name: string, provider: Provider): Provider {
  return {
    ...provider,
    name,
    usualSeconds: () => 0,
    cannot: ({ prompt }) => (prompt.startsWith(`${name}:`) ? null : 'input.prompt is another’s'),
    async status(request) {
      const answer = await provider.status(request);
      return answer.outcome === 'pending' ? { ...answer, askAgainSeconds: 0.05 } : answer;
    },
  };
}

async function create(prompt: string) {
  const account = await journey.service.account({ live: 100 });
  const { status, body } = await account.client.create({
    model: 'vidgen-2-0',
    input: { prompt, duration: 5, resolution: '720p', aspect_ratio: '16:9' },
    callback_url: journey.receiver.url,
  });
  assert.equal(status, 200, JSON.stringify(body));
  const taskId = body.taskId as string;
  const detail = async () => {
    const answer = await journey.service.admin.get(`/admin/tasks/${taskId}`);
    return answer.body as unknown as AdminTaskDetail;
  };
  return { client: account.client, taskId, detail };
}

async function until<Value>(look: () => Promise<Value | null>): Promise<Value> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await sleep(20);
  }
}

const callAbout = (taskId: string) =>
  until(async () => journey.receiver.calls.find(({ body }) => body.id === taskId) ?? null);

type Created = Awaited<ReturnType<typeof create>>;

/** Everything the customer can read of a task, as text; each of a shape that has no other field. */
async function readable({ client, taskId }: Created): Promise<string> {
  const task = await client.final(taskId);
  TaskStatusAnswer.parse(task);
  const { body: list } = await client.get('/v1/tasks');
  ListTasksAnswer.parse(list);
  const { body: refusedCancel } = await client.post(`/v1/tasks/${taskId}/cancel`);
  const call = await callAbout(taskId);
  (task.status === 'completed' ? CompletionCall : FailureCall).parse(call.body);
  return JSON.stringify([task, list, refusedCancel, call.raw, call.headers]);
}

/** What is the upstream's, or between it and us: ids, words, names. Short words are anyone's. */
function privateWords({ attempts }: AdminTaskDetail): string[] {
  return attempts.flatMap(({ provider, operation, detail }) => [
    provider ?? '',
    ...(operation ?? '').split('/'),
    ...(detail ?? '').split(/: |; /),
  ]);
}

function assertSecret(text: string, detail: AdminTaskDetail): void {
  const shown = text.toLowerCase();
  for (const word of privateWords(detail).filter(({ length }) => length >= 9)) {
    assert.ok(!shown.includes(word.toLowerCase()), `${word} is shown: ${text}`);
  }
}

function assertTold({ failure, failed_reason }: AdminTaskDetail, reason: FailedReason): void {
  assert.equal(failed_reason, reason);
  assert.equal(failure?.reason, reason);
  assert.match(failure.sentence, /Your credits were returned\./);
}

for (const [name, { cannot = {} }] of Object.entries(harnesses)) {
  describe(name, () => {
    for (const [trouble, reason] of Object.entries(startTroubles)) {
      const skip = trouble === 'content-rejected' && cannot['content-rejected-at-start'];
      test(`a start that is ${trouble}`, { skip: skip ?? false }, async () => {
        await benches.get(name)!.troubleStart(trouble as StartTrouble);
        const created = await create(`${name}: ${trouble}`);
        const text = await readable(created);
        const detail = await created.detail();
        assertSecret(text, detail);
        assertTold(detail, reason);
        const isRefused = reason === 'provider_rejected';
        assert.equal(detail.failure?.part, isRefused ? 'prompt' : null);
      });
    }
    for (const [turn, reason] of Object.entries(turns)) {
      const skip = turn === 'expired' && cannot.expired;
      test(`an operation that is ${turn}`, { skip: skip ?? false }, async () => {
        const created = await create(`${name}: ends ${turn}`);
        const operation = await until(
          async () => (await created.detail()).attempts[0]?.operation ?? null,
        );
        await benches.get(name)!.turn(operation, turn as Turn);
        const text = await readable(created);
        const detail = await created.detail();
        assertSecret(text, detail);
        if (reason !== null) return assertTold(detail, reason);
        const [address] = detail.data!.results;
        assert.ok(address!.startsWith(journey.service.url), `${address} is ours`);
        assert.equal(detail.failure, null);
      });
    }
  });
}
