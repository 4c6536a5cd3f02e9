/**
 * ModelArk gets one stable identifier per account, which names no account. Lost starts are still
 * found by the mark of their attempt.
 *
 * Thorough: waits until lost starts are looked up.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createModelArk } from '../../server/providers/modelark/modelark.ts';
import { textToVideo, useJourney } from '../kit/journey.ts';
import { FakeModelArk, fakeModels } from '../kit/modelark/fake.ts';
import { waitUntil } from '../kit/wait-until.ts';

const ark = await FakeModelArk.start({ listPerSecond: 0 });
const provider = createModelArk({
  name: 'ark',
  baseUrl: ark.baseUrl,
  apiKey: () => ark.apiKey,
  models: fakeModels,
  listPerSecond: 100,
});
const journey = await useJourney({
  providers: { ark: provider },
  file: { routes: { 'vidgen-2-0': ['ark'], 'vidgen-2-5': ['ark'] } },
});
after(() => ark.close());

type Account = Awaited<ReturnType<typeof journey.service.account>>;

async function create({ client }: Account, prompt: string): Promise<string> {
  const input = { ...textToVideo.input, prompt };
  const { status, body } = await client.create({ model: 'vidgen-2-0', input });
  assert.equal(status, 200, JSON.stringify(body));
  return body.taskId as string;
}

const startedAs = (prompt: string) =>
  waitUntil(async () => ark.started().find(({ body }) => body.content[0]?.text === prompt));

test('an account has one identifier, and its lost start is found by its mark', async () => {
  const one = await journey.service.account({ live: 1_000 });
  const other = await journey.service.account({ live: 1_000 });
  await create(one, 'first');
  const first = await startedAs('first');
  ark.next('create', { work: 'done', response: 'lose' });
  const lostId = await create(one, 'lost');
  const lost = await startedAs('lost');
  await create(other, 'other');
  const { body: otherBody } = await startedAs('other');

  assert.equal(lost.body.safety_identifier, first.body.safety_identifier);
  assert.match(first.body.safety_identifier ?? '', /^[0-9a-f]{64}$/);
  assert.notEqual(otherBody.safety_identifier, first.body.safety_identifier);
  assert.ok(!first.body.safety_identifier?.includes(one.id.replaceAll('-', '')));

  await waitUntil(async () => (await one.client.task(lostId)).status === 'generating');
  assert.equal(ark.generations(lost.clientRequestId), 1);
  ark.advance(lost.id, 'succeeded');
  assert.equal((await one.client.final(lostId)).status, 'completed');
});
