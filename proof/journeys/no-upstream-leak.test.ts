/**
 * An upstream's messages and ids never reach a customer. For every failure, the API returns a
 * reason and the dashboard a message. What each adapter makes of a failure is in its conformance
 * test.
 * Thorough: every failure.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { ListTasksResponse } from '@vidgen/contract/list-tasks.ts';
import { type FailedReason, TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { CompletionPayload, FailurePayload } from '@vidgen/contract/webhook-payload.ts';
import type { Provider } from '../../server/providers/provider.ts';
import type { StartFault, UpstreamState } from '../kit/conformance-fixture.ts';
import { createTask, useJourney } from '../kit/journey.ts';
import { harness } from '../kit/modelark/fixture.ts';
import { waitUntil } from '../kit/wait-until.ts';

const startFaults = {
  'content-rejected': 'provider_rejected',
  'input-refused': 'provider_failed',
  'account-refused': 'provider_failed',
} as const satisfies Partial<Record<StartFault, FailedReason>>;
const upstreamStates = {
  failed: 'provider_failed',
  'content-rejected': 'provider_rejected',
  expired: 'timed_out',
  vanished: 'provider_failed',
  completed: null,
} as const satisfies Partial<Record<UpstreamState, FailedReason | null>>;

const fixture = await harness.open({ shortTimeouts: false });
const journey = await useJourney({
  providers: { modelark: pollsAtOnce(fixture.provider) },
  file: { routes: { 'vidgen-2-0': ['modelark'] } },
});
after(() => fixture.close());

function pollsAtOnce(provider: Provider): Provider {
  return {
    ...provider,
    typicalSeconds: () => 0,
    async status(request) {
      const result = await provider.status(request);
      return result.outcome === 'pending' ? { ...result, pollAfterSeconds: 0.05 } : result;
    },
  };
}

async function create(prompt: string) {
  const { client, taskId } = await createTask(journey.service, {
    model: 'vidgen-2-0',
    input: { prompt, resolution: '720p', aspect_ratio: '16:9' },
    callback_url: journey.receiver.url,
  });
  const detail = async () => {
    const response = await journey.service.admin.get(`/admin/tasks/${taskId}`);
    return response.body as unknown as AdminTaskDetail;
  };
  return { client, taskId, detail };
}

const waitForWebhook = (taskId: string) =>
  waitUntil(() => journey.receiver.webhooks.find(({ body }) => body.id === taskId));

type Created = Awaited<ReturnType<typeof create>>;

/** Everything that the customer can read of a task, as text. Each response matches its schema. */
async function readable({ client, taskId }: Created): Promise<string> {
  const task = await client.final(taskId);
  TaskStatusResponse.parse(task);
  assert.equal(task.billing_status, task.status === 'completed' ? 'charged' : 'refunded');
  const { body: list } = await client.get('/v1/tasks');
  ListTasksResponse.parse(list);
  const { body: rejectedCancel } = await client.post(`/v1/tasks/${taskId}/cancel`);
  const webhook = await waitForWebhook(taskId);
  (task.status === 'completed' ? CompletionPayload : FailurePayload).parse(webhook.body);
  return JSON.stringify([task, list, rejectedCancel, webhook.raw, webhook.headers]);
}

/**
 * Ids, messages and names of the upstream. Words under nine letters are too common to search for.
 */
function privateTexts({ attempts }: AdminTaskDetail): string[] {
  return attempts.flatMap(({ provider, operation, detail }) => [
    provider ?? '',
    ...(operation ?? '').split('/'),
    ...(detail ?? '').split(/: |; /),
  ]);
}

function assertNoLeak(text: string, detail: AdminTaskDetail): void {
  const shown = text.toLowerCase();
  for (const privateText of privateTexts(detail).filter(({ length }) => length >= 9)) {
    assert.ok(!shown.includes(privateText.toLowerCase()), `${privateText} is shown: ${text}`);
  }
}

function assertFailureShown(
  { failure, failed_reason }: AdminTaskDetail,
  reason: FailedReason,
): void {
  assert.equal(failed_reason, reason);
  assert.equal(failure?.reason, reason);
  assert.match(failure.sentence, /Your credits were refunded\./);
}

for (const [fault, reason] of Object.entries(startFaults)) {
  test(`a start with ${fault}`, async () => {
    await fixture.failStart(fault as StartFault);
    const created = await create(fault);
    const text = await readable(created);
    const detail = await created.detail();
    assertNoLeak(text, detail);
    assertFailureShown(detail, reason);
    const isRejected = reason === 'provider_rejected';
    assert.equal(detail.failure?.part, isRejected ? 'prompt' : null);
  });
}

for (const [state, reason] of Object.entries(upstreamStates)) {
  test(`an operation that ends ${state}`, async () => {
    const created = await create(`ends ${state}`);
    const operation = await waitUntil(async () => (await created.detail()).attempts[0]?.operation);
    await fixture.setState(operation, state as UpstreamState);
    const text = await readable(created);
    const detail = await created.detail();
    assertNoLeak(text, detail);
    if (reason !== null) return assertFailureShown(detail, reason);
    const [url] = detail.data!.results;
    assert.ok(url!.startsWith(journey.service.url), `${url} is not a URL of the service`);
    assert.equal(detail.failure, null);
  });
}
