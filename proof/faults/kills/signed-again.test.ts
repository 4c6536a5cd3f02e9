/**
 * A worker is killed between signing a result and storing it. Another one, with a home of its own
 * and the same bucket, collects the result again: it stores the same bytes.
 *
 * Thorough: starts two processes.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startFakeS3 } from '../../kit/fake-s3.ts';
import { clientOf } from '../../kit/service.ts';
import { makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import { Installation } from '../installation.ts';
import { loseNone } from '../upstream.ts';

const bucket = await startFakeS3();
after(() => bucket.close());
const installation = await Installation.open({
  environment: { VIDGEN_STORAGE_URL: bucket.url('signed'), ...bucket.environment },
  upstream: { lostPercent: loseNone },
});
after(() => installation.close());
const [first, second] = ['first', 'second'].map(makeTemporaryFolder) as [string, string];
const digest = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

test('a result that is signed again by another process has the same bytes', async () => {
  const environment = { VIDGEN_HOME: first, VIDGEN_CRASH_AT: 'collect.signed' };
  const killed = installation.start({ environment });
  await killed.waitUntilServing();
  const { key } = await installation.account();
  const number = await installation.clients.create();
  const taskId = installation.clients.acknowledged.get(number)!;
  assert.equal((await killed.exited).signal, 'SIGKILL');
  const downloads = join(first, 'downloads');
  const [signed, ...others] = await readdir(downloads);
  assert.deepEqual([typeof signed, others], ['string', []]);
  assert.deepEqual(
    [...bucket.objects.keys()].filter((name) => name.includes(taskId)),
    [],
  );

  await installation.startServing({ environment: { VIDGEN_HOME: second } });
  await installation.expireLeases(killed.pid);
  const client = clientOf(installation.url, key);
  const [url] = (await client.final(taskId)).data!.results;
  const stored = Buffer.from(await (await fetch(url!)).arrayBuffer());
  assert.equal(digest(stored), digest(await readFile(join(downloads, signed!))));
  const { body } = await client.post('/verify', { id: taskId });
  assert.deepEqual([body.state, body.made_here], ['valid', true]);
});
