/** What a late answer to a submit means, once the task has ended without it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Journey, startJourney, textToVideo } from '../testing/journey.ts';
import { abandonOperation } from './cancel.ts';

let journey: Journey;
before(async () => {
  journey = await startJourney();
});
after(() => journey.close());

async function completedTask() {
  const account = await journey.service.account({ live: 100 });
  const { body } = await account.client.create(textToVideo);
  const taskId = body.taskId as string;
  await account.client.final(taskId);
  const attempt = async () => {
    const { body: seen } = await journey.service.admin.get(`/admin/tasks/${taskId}`);
    return (seen.attempts as { operation: string; loss: string | null }[])[0]!;
  };
  return { taskId, attempt };
}
const cancels = () => journey.provider.calls.filter(({ kind }) => kind === 'cancel').length;

test('the operation that made the video is no loss, and is not told to stop', async () => {
  const { service, provider } = journey;
  const { taskId, attempt } = await completedTask();
  const { operation } = await attempt();
  const before = cancels();
  await abandonOperation(service.parts.lifecycle, { taskId, number: 1, provider, operation });
  assert.equal((await attempt()).loss, null);
  assert.equal(cancels(), before);
});

test('another operation for the same task is told to stop, and shown as a loss', async () => {
  const { service, provider } = journey;
  const { taskId, attempt } = await completedTask();
  const { operation } = await attempt();
  const stray = { taskId, number: 1, provider, operation: 'a second one' };
  const before = cancels();
  await abandonOperation(service.parts.lifecycle, stray);
  assert.equal(cancels(), before + 1);
  const { operation: kept, loss } = await attempt();
  assert.equal(kept, operation);
  assert.match(loss ?? '', /accepted by scripted after the task had ended/);
});
