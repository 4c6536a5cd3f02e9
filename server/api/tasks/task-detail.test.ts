/** One task over HTTP: its history, for admins and members, and its story. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AdminTaskDetail, StoryResponse } from '@vidgen/contract/admin-tasks.ts';
import { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import { continuesOf, shotsBefore } from '@vidgen/contract/story.ts';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { newAdministrator, newMember } from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';

const journey = await useJourney({
  script: ({ generation: { prompt } }) => ({
    status: [/^(refused|Failing)/.test(prompt) ? 'failed' : 'completed'],
  }),
});

async function startTask(prompt: string) {
  const { service, receiver } = journey;
  const account = await service.account({ live: 100 });
  const request = {
    ...textToVideo,
    callback_url: receiver.url,
    input: { ...textToVideo.input, prompt },
  };
  const { id } = await account.client.run(request);
  return { account, id, request };
}

const detailOf = async (reader: Pick<typeof journey.service.admin, 'get'>, id: string) =>
  AdminTaskDetail.parse((await reader.get(`/admin/tasks/${id}`)).body);

test('shows the request, the key, ledger entries, attempts and the delivery', async () => {
  const prompt = `${'A paper boat. '.repeat(20)}😀`.repeat(2);
  const { account, id, request } = await startTask(prompt);
  const task = await detailOf(journey.service.admin, id);
  assert.deepEqual(CreateGenerationRequest.parse(task.request), task.request);
  assert.equal(task.request.input.prompt, prompt.trim());
  assert.equal([...task.prompt].length, 200);
  assert.deepEqual(
    [task.request.model, task.request.callback_url, task.request.input.seed],
    [request.model, request.callback_url, -1],
  );
  assert.deepEqual(task.key, {
    id: account.keyId,
    name: 'Journey',
    last_four: account.key.slice(-4),
  });
  assert.deepEqual(pluck(task.entries, 'kind', 'task_id'), [
    ['charge', id],
    ['reserve', id],
  ]);
  const [attempt] = task.attempts;
  assert(attempt?.provider && attempt.operation);
  assert(attempt.accepted_at! >= attempt.started_at && attempt.ended_at! >= attempt.started_at);
  assert.equal(task.delivery?.task_id, id);
  assert.equal(JSON.parse(task.delivery.body).id, id);
  assert(task.deadline_at > task.created_at);
  assert(task.submitted_at! >= task.created_at && task.finished_at! >= task.submitted_at!);
});

test('names the request that created it, even after repeats', async () => {
  const { service } = journey;
  const { client } = await service.account({ live: 100 });
  const create = () => client.create(textToVideo, { 'idempotency-key': 'one' });
  const first = await create();
  const again = await create();
  assert.deepEqual(again.body, first.body);
  const requestId = first.headers.get('x-request-id');
  assert.notEqual(again.headers.get('x-request-id'), requestId);
  const task = await detailOf(service.admin, String(first.body.taskId));
  assert.deepEqual([task.request_id, task.created_by], [requestId, null]);
});

test('members see times and outcomes, never the provider or its messages', async () => {
  const { account, id } = await startTask('refused');
  const { service } = journey;
  await service.db.query(
    `update attempts set loss = 'went on', detail = 'upstream said so' where task_id = $1`,
    [id],
  );
  const whole = await detailOf(await newAdministrator(service), id);
  const [seen] = whole.attempts;
  assert(seen?.provider && seen.operation && seen.detail === 'upstream said so' && seen.loss);
  assert(seen.cost);
  for (const role of ['owner', 'developer', 'viewer'] as const) {
    const member = await newMember(service, { accountId: account.id, role });
    const { body } = await member.get(`/admin/tasks/${id}`);
    const { attempts } = AdminTaskDetail.parse(body);
    const hidden = { provider: null, operation: null, detail: null, loss: null, cost: null };
    assert.deepEqual(attempts, [{ ...seen, ...hidden }]);
    const text = JSON.stringify(body);
    for (const word of [seen.provider, seen.operation, 'upstream said so', 'went on']) {
      assert(!text.includes(word), word);
    }
    const { body: list } = await member.get(`/admin/accounts/${account.id}/tasks`);
    assert(!JSON.stringify(list).includes(seen.provider));
  }
});

type Account = Awaited<ReturnType<typeof journey.service.account>>;

async function createShot(
  { client }: Account,
  before: readonly string[],
  prompt = 'The boat sails on',
): Promise<string> {
  const { id } = await client.run({
    ...textToVideo,
    input: { ...textToVideo.input, prompt },
    ...(before.length === 0 ? {} : { metadata: { continues: continuesOf(before) } }),
  });
  return id;
}

async function storyOf(
  id: string,
  reader: Pick<typeof journey.service.admin, 'get'> = journey.service.admin,
) {
  const { body } = await reader.get(`/admin/tasks/${id}/story`);
  return StoryResponse.parse(body).shots;
}
const idsOf = (shots: Awaited<ReturnType<typeof storyOf>>) => shots.map(({ id }) => id);

describe('a story', () => {
  test('lists the same shots in order, whichever of them is asked for', async () => {
    const account = await journey.service.account({ live: 1000 });
    const first = await createShot(account, []);
    assert.deepEqual(idsOf(await storyOf(first)), [first]);
    const second = await createShot(account, [first]);
    const third = await createShot(account, [first, second]);
    const viewer = await newMember(journey.service, { accountId: account.id, role: 'viewer' });
    for (const id of [first, second, third]) {
      const shots = await storyOf(id, viewer);
      assert.deepEqual(idsOf(shots), [first, second, third]);
      assert(shots.every(({ task }) => task?.data?.results.length === 1));
    }
  });

  test('follows the newest continuation that has not failed', async () => {
    const account = await journey.service.account({ live: 1000 });
    const first = await createShot(account, []);
    const take = await createShot(account, [first]);
    const better = await createShot(account, [first]);
    await createShot(account, [first], 'Failing take');
    assert.deepEqual(idsOf(await storyOf(first)), [first, better]);
    assert.deepEqual(idsOf(await storyOf(take)), [first, take], 'the page of the other take');
  });

  test('shows a deleted shot and one of another account as missing', async () => {
    const account = await journey.service.account({ live: 1000 });
    const stranger = await createShot(await journey.service.account({ live: 1000 }), []);
    const first = await createShot(account, []);
    const second = await createShot(account, [first]);
    const third = await createShot(account, [first, second]);
    await account.client.send('DELETE', `/v1/tasks/${second}`);
    const shots = await storyOf(third);
    assert.deepEqual(idsOf(shots), [first, second, third]);
    assert.deepEqual(
      shots.map(({ task }) => task !== null),
      [true, false, true],
    );
    const claimed = await createShot(account, [stranger]);
    assert.deepEqual((await storyOf(claimed))[0], { id: stranger, task: null });
    assert.deepEqual(idsOf(await storyOf(stranger)), [stranger], 'nobody else can continue it');
  });

  test('takes other values of the key for the customer’s own', () => {
    const id = 'task_01jd2v9q3kf8m7x5w4t6r0b1zc';
    const values = ['', 'yes', `${id} `, `${id} ${id}`, Array(10).fill(id).join(' '), `x ${id}`];
    for (const continues of values) assert.deepEqual(shotsBefore({ continues }), [], continues);
    assert.deepEqual(shotsBefore({ continues: id }), [id]);
    assert.deepEqual(shotsBefore(null), []);
  });
});
