/** Thorough: `probe-material.test.ts` is in every run. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeHostileMedia } from '../../proof/kit/hostile-media.ts';
import { makeMedia } from '../../proof/kit/media-files.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';
import { processTree } from '../process/process-tree.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { DurationPool, type DurationPoolOptions } from './duration-pool.ts';

const videoFile = await makeMedia({ format: 'mp4', video: 'mpeg4', seconds: 3 });
const hostile = await makeHostileMedia();

const isLinux = process.platform === 'linux';

/** The parser reads it in circles, and is stopped after more reads than so many bytes can need. */
const endless = (index = 0): Buffer =>
  Buffer.concat([hostileFile('frames of no bytes').bytes, Buffer.alloc(16 * 1024 ** 2 + index)]);

const hostileFile = (text: string) => hostile.find(({ name }) => name.includes(text))!;

function openPool(t: TestContext, options: Partial<DurationPoolOptions> = {}) {
  const pool = new DurationPool({ log: createLog('silent'), ...options });
  t.after(() => pool.close());
  const never = new AbortController().signal;
  const measure = (
    bytes: Uint8Array,
    { accountId = 'one', signal = never, kind = 'video' as 'video' | 'audio' } = {},
  ) =>
    pool.measure({
      file: { kind, bytesTotal: bytes.length, pieces: [{ start: 0, bytes }] },
      accountId,
      signal,
    });
  // The worker processes do not keep this process alive, so a test that waits for them must.
  const waiting = setInterval(() => {}, 1_000);
  t.after(() => clearInterval(waiting));
  return { pool, measure };
}

test('a file that exhausts memory ends its own process and no other', async (t) => {
  const { measure } = openPool(t, { processesMax: 1, measureMsMax: 60_000 });
  // The second one would abort the whole process even from a thread with a heap limit.
  for (const text of ['4 billion samples in stts', 'four billion chunks']) {
    assert.deepEqual(await measure(hostileFile(text).bytes), { outcome: 'exhausted' });
    assert.deepEqual(await measure(videoFile), { outcome: 'measured', seconds: 3 });
  }
});

test('a file that never finishes is abandoned at its deadline', async (t) => {
  const { measure } = openPool(t, { processesMax: 1 });
  // On a busy machine it may not get enough processor time to be judged.
  let judged: Awaited<ReturnType<typeof measure>>;
  do judged = await measure(endless(), { kind: 'audio' });
  while (judged.outcome === 'abandoned' && !judged.hadTurn);
  assert.deepEqual(judged, { outcome: 'abandoned', hadTurn: true });
  // The deadline can be too short for a cold start on a busy machine, but never for a result.
  const next = await measure(videoFile);
  assert.ok(['measured', 'abandoned'].includes(next.outcome), next.outcome);
});

test('a file whose process gets no processor time is not judged', { skip: !isLinux }, async (t) => {
  const { measure } = openPool(t, { processesMax: 1, measureMsMax: 300 });
  const worker = await waitUntil(async () => {
    await measure(videoFile);
    return processTree(process.pid).slice(1).at(-1);
  });
  process.kill(worker, 'SIGSTOP');
  assert.deepEqual(await measure(videoFile), { outcome: 'abandoned', hadTurn: false });
});

test('an account with hostile files waits for all other accounts', async (t) => {
  const { measure } = openPool(t, { processesMax: 1, measureMsMax: 200 });
  const outcomes: string[] = [];
  const attack = Array.from({ length: 4 }, async (_, index) => {
    await measure(endless(index), { accountId: 'hostile', kind: 'audio' });
    outcomes.push('hostile');
  });
  // The first hostile file may already run or be next; the others wait behind the other account.
  const others = Array.from({ length: 4 }, async () => {
    await measure(videoFile, { accountId: 'honest' });
    outcomes.push('honest');
  });
  await Promise.all([...attack, ...others]);
  assert.deepEqual(outcomes.slice(1, 5), ['honest', 'honest', 'honest', 'honest']);
});

test('a file that was killed is not measured again', async (t) => {
  const kills: unknown[] = [];
  const log = { warn: (fields: unknown) => void kills.push(fields) } as unknown as Log;
  const { measure } = openPool(t, { processesMax: 1, measureMsMax: 60_000, log });
  const { bytes } = hostileFile('4 billion samples in stts');
  const both = ['one', 'two'].map((accountId) => measure(bytes, { accountId }));
  for (const measured of [...both, measure(bytes)]) {
    assert.deepEqual(await measured, { outcome: 'exhausted' });
  }
  assert.equal(kills.length, 1);
});

test('accounts whose file was killed have one process together', async (t) => {
  const { measure } = openPool(t, { processesMax: 2, measureMsMax: 60_000 });
  const crashing = ['4 billion samples in stts', 'four billion chunks'];
  const accounts = ['hostile', 'its friend'];
  for (const [at, accountId] of accounts.entries()) {
    await measure(hostileFile(crashing[at]!).bytes, { accountId });
  }
  const outcomes: string[] = [];
  for (const [index, accountId] of [...accounts, ...accounts].entries()) {
    const measured = measure(endless(index), { accountId, kind: 'audio' });
    void measured.then(() => outcomes.push(accountId));
  }
  await measure(videoFile, { accountId: 'honest' });
  assert.deepEqual(outcomes, []);
});

test('a process that sends more than a result is ended', async (t) => {
  const script = fileURLToPath(new URL('../../proof/kit/flooding-worker.ts', import.meta.url));
  const { measure } = openPool(t, { processesMax: 1, measureMsMax: 600_000, script });
  assert.deepEqual(await measure(videoFile), { outcome: 'abandoned', hadTurn: true });
});

test('a closed pool abandons waiting and new files', async (t) => {
  const { pool, measure } = openPool(t);
  const waiting = measure(videoFile);
  pool.close();
  assert.deepEqual(await waiting, { outcome: 'abandoned', hadTurn: false });
  assert.deepEqual(await measure(videoFile), { outcome: 'abandoned', hadTurn: false });
});

test('the processes do not inherit our environment', async (t) => {
  const { measure } = openPool(t, { processesMax: 1 });
  await measure(videoFile);
  if (!isLinux) return;
  const [, ...children] = processTree(process.pid);
  const environments = await Promise.all(
    children.map((id) => readFile(`/proc/${id}/environ`, 'utf8')),
  );
  assert.ok(process.env.PATH);
  assert.doesNotMatch(environments.join('\n'), /(^|\0)PATH=/m);
});
