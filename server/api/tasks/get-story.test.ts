/** Stories over HTTP: their shots in order, and what is missing. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { StoryResponse } from '@vidgen/contract/admin-tasks.ts';
import { continuesOf, shotsBefore } from '@vidgen/contract/story.ts';
import { startJourney, textToVideo } from '../../../proof/kit/journey.ts';
import { newMember } from '../../../proof/kit/people.ts';

const journey = await startJourney({
  script: ({ generation: { prompt } }) => ({
    status: [prompt.startsWith('Failing') ? 'failed' : 'completed'],
  }),
});
after(() => journey.close());
const { service } = journey;
type Account = Awaited<ReturnType<typeof service.account>>;

async function createShot(
  { client }: Account,
  before: readonly string[],
  prompt = 'The boat sails on',
): Promise<string> {
  const { body } = await client.create({
    ...textToVideo,
    input: { ...textToVideo.input, prompt },
    ...(before.length === 0 ? {} : { metadata: { continues: continuesOf(before) } }),
  });
  const id = String(body.taskId);
  await client.final(id);
  return id;
}

async function storyOf(id: string, reader: Pick<typeof service.admin, 'get'> = service.admin) {
  const { body } = await reader.get(`/admin/tasks/${id}/story`);
  return StoryResponse.parse(body).shots;
}
const idsOf = (shots: Awaited<ReturnType<typeof storyOf>>) => shots.map(({ id }) => id);

test('lists the same shots in order, whichever of them is asked for', async () => {
  const account = await service.account({ live: 1000 });
  const first = await createShot(account, []);
  assert.deepEqual(idsOf(await storyOf(first)), [first]);
  const second = await createShot(account, [first]);
  const third = await createShot(account, [first, second]);
  const viewer = await newMember(service, { accountId: account.id, role: 'viewer' });
  for (const id of [first, second, third]) {
    const shots = await storyOf(id, viewer);
    assert.deepEqual(idsOf(shots), [first, second, third]);
    assert(shots.every(({ task }) => task?.data?.results.length === 1));
  }
});

test('follows the newest continuation that has not failed', async () => {
  const account = await service.account({ live: 1000 });
  const first = await createShot(account, []);
  const take = await createShot(account, [first]);
  const better = await createShot(account, [first]);
  await createShot(account, [first], 'Failing take');
  assert.deepEqual(idsOf(await storyOf(first)), [first, better]);
  assert.deepEqual(idsOf(await storyOf(take)), [first, take], 'the page of the other take');
});

test('shows a deleted shot and one of another account as missing', async () => {
  const account = await service.account({ live: 1000 });
  const stranger = await createShot(await service.account({ live: 1000 }), []);
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
