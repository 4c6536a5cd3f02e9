import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleStatus } from '../../../proof/kit/conformance-fixture.ts';
import {
  fileOf,
  isAlive,
  materialBytesMax,
  type OpenPreviews,
  openPreviews,
  rendererLog,
  rendererOutput,
  rendererPid,
  startPreview,
  waitUntilFinal,
} from '../../../proof/kit/preview-fixture.ts';
import { generationOf } from '../../../proof/kit/seed.ts';
import { createLog } from '../../telemetry/log.ts';
import { createPreviews, forcedOutcome } from './preview.ts';

test('can render on this machine, and leaves no file but the video', async () => {
  await using previews = await openPreviews();
  const real = await createPreviews({
    folder: previews.folder,
    slots: 1,
    log: createLog('silent'),
    materialBytesMax,
    fetchMaterial: async () => ({ saved: false }),
  });
  const report = { ready: true, encoder: 'native', detail: '' };
  assert.deepEqual(await real.runSelfTest(), report);
  assert.equal((await previews.runSelfTest()).ready, false, 'the stand-in cannot');
  const { poll } = await startPreview(real.preview, {
    model: 'vidgen-2-0-mini',
    resolution: '480p',
    duration: 4,
    generateAudio: false,
    returnLastFrame: true,
  });
  const result = await waitUntilFinal(poll);
  assert(result.outcome === 'completed' && result.lastFrame && 'file' in result.lastFrame);
  assert.equal(result.outputSeconds, 4);
  const video = await readFile(fileOf(result));
  assert.equal(video.toString('latin1', 4, 8), 'ftyp');
  assert.deepEqual([...(await readFile(result.lastFrame.file)).subarray(0, 2)], [0xff, 0xd8]);
  const own = join(fileOf(result), '..');
  const left = (await readdir(own)).filter((name) => name !== 'compiled');
  assert.equal(left.length, 2, 'no job file, no materials');
  await real.preview.close?.();
  await assert.rejects(stat(own), { code: 'ENOENT' });
});

test('gives the renderer the request, materials and a seed, but no secrets', async () => {
  process.env.VIDGEN_SECRET = 'a secret that the renderer must not see';
  process.env.VIDGEN_DATABASE_URL = 'postgres://user:password@127.0.0.1/db';
  const fetches: unknown[] = [];
  await using previews = await openPreviews({
    fetchMaterial: async ({ url, kind, bytesMax, into }) => {
      fetches.push({ url, kind, bytesMax });
      if (!url.includes('good')) throw new Error('no such host');
      const { writeFile } = await import('node:fs/promises');
      await writeFile(into, 'bytes of the image');
      return { saved: true };
    },
  });
  const good = 'https://cdn.example.test/good.png?sign=hush';
  const bad = 'https://b.example.test/x';
  const { poll, request } = await startPreview(previews.preview, {
    generationType: 'reference-to-video',
    imageUrls: [good],
    videoUrls: [bad],
    seed: 0,
  });
  const { job, environment } = await rendererOutput(await waitUntilFinal(poll));
  assert.deepEqual(fetches, [
    { url: good, kind: 'image', bytesMax: 30 },
    { url: bad, kind: 'video', bytesMax: 200 },
  ]);
  assert.deepEqual(job.generation, request.generation);
  assert.equal(job.seed, 0);
  assert.deepEqual(
    job.materials.map(({ title, file }) => [title, file !== null]),
    [
      ['cdn.example.test/good.png', true],
      ['b.example.test/x', false],
    ],
  );
  const known = 'NODE_COMPILE_CACHE PATH LANG TZ TMPDIR TEMP TMP LD_LIBRARY_PATH'.split(' ');
  const windows = ['SystemRoot', 'windir'];
  const shells = ['PWD', 'OLDPWD', 'SHLVL', '_'];
  const { HOME = '/', ...others } = environment;
  assert.equal(HOME, '/', 'not that of this user');
  for (const name of Object.keys(others)) {
    assert.ok([...known, ...windows, ...shells].includes(name), name);
  }
  delete process.env.VIDGEN_SECRET;
  delete process.env.VIDGEN_DATABASE_URL;
});

test('renders different videos without a seed, but the same for retries of a task', async () => {
  await using previews = await openPreviews();
  const first = await startPreview(previews.preview, { seed: null });
  const other = await startPreview(previews.preview, { seed: -1 });
  const seeds = [];
  for (const poll of [first.poll, first.poll, other.poll]) {
    seeds.push((await rendererOutput(await waitUntilFinal(poll))).job.seed);
  }
  assert.equal(seeds[0], seeds[1]);
  assert.notEqual(seeds[0], seeds[2]);
});

for (const [what, stop] of [
  ['a cancel', async (previews, { operation }) => await previews.preview.cancel(operation)],
  ['the end of the lease', async (_, begun) => begun.stop.abort()],
  ['the end of the service', async (previews) => await previews.preview.close?.()],
] as readonly (readonly [
  string,
  (previews: OpenPreviews, begun: Awaited<ReturnType<typeof startPreview>>) => Promise<unknown>,
])[]) {
  test(`${what} kills the renderer and leaves no file`, async () => {
    await using previews = await openPreviews();
    const begun = await startPreview(previews.preview, { prompt: 'hang' });
    const polling = begun.poll();
    const pid = await rendererPid(previews);
    assert.ok(isAlive(pid));
    const result = await stop(previews, begun);
    if (what === 'a cancel') assert.equal(result, 'stopped');
    assert.equal((await polling).outcome, 'pending');
    assert.equal(isAlive(pid), false);
    const left = await readdir(previews.folder, { recursive: true });
    assert.deepEqual(
      left.filter((name) => /mp4|jpg|json/.test(name)),
      [],
    );
  });
}

test('confirms the cancel of an operation that does not run here', async () => {
  await using previews = await openPreviews();
  assert.equal(await previews.preview.cancel('preview:vg_unknown'), 'stopped');
});

test('reports progress to the poll that renders, and to a second one', async () => {
  await using previews = await openPreviews();
  const shares: number[] = [];
  const onProgress = (share: number) => void shares.push(share);
  const { poll, stop } = await startPreview(previews.preview, { prompt: 'hang' }, { onProgress });
  const first = poll();
  await rendererPid(previews);
  let second = await poll();
  while (second.outcome === 'pending' && second.progress === 0) {
    await pause(20);
    second = await poll();
  }
  assert.deepEqual(second, { outcome: 'pending', pollAfterSeconds: 1, progress: 0.25 });
  assert.deepEqual(shares, [0.25]);
  assert.equal((await rendererLog(previews)).length, 1);
  stop.abort();
  await first;
});

test('reports a material that cannot be drawn', async () => {
  await using previews = await openPreviews();
  const { poll } = await startPreview(previews.preview, { prompt: 'material' });
  const detail = 'image 1: not a picture';
  const failed = { outcome: 'failed', reason: 'material', detail };
  assert.deepEqual(await waitUntilFinal(poll), failed);
});

test('forces outcomes by the prompts of test keys', async () => {
  await using previews = await openPreviews();
  const resultOf = async (prompt: string) => {
    const { poll } = await startPreview(previews.testPreview, { prompt });
    return await poll();
  };
  const pending = { outcome: 'pending' };
  const failed = { outcome: 'failed', reason: 'failed' };
  assert.partialDeepStrictEqual(await resultOf('a boat [test:fail] on a lake'), failed);
  assert.partialDeepStrictEqual(await resultOf('[test:reject]'), { ...failed, reason: 'rejected' });
  assert.partialDeepStrictEqual(await resultOf('[test:timeout]'), pending);
  assert.partialDeepStrictEqual(await resultOf('[test:slow]'), pending);
  assert.equal((await resultOf('[test:other]')).outcome, 'completed');
  assert.equal((await rendererLog(previews)).length, 2, 'only the last was rendered');
});

test('starts a task that is forced to time out, however large it is', async () => {
  await using previews = await openPreviews();
  const { preview, testPreview } = previews;
  const large = { resolution: '4k', duration: 15 } as const;
  const forced = generationOf({ ...large, prompt: '[test:timeout]' });
  assert.equal(testPreview.typicalSeconds(forced), 0);
  const plain = generationOf({ ...large, prompt: 'a boat' });
  assert.equal(testPreview.typicalSeconds(plain), preview.typicalSeconds(plain));
});

test('completes a slow task one minute after its start on any process', async () => {
  await using before = await openPreviews();
  const { operation, request } = await startPreview(before.testPreview, { prompt: '[test:slow]' });
  assert.match(operation, /^preview:slow@\d+:/);
  const minuteAgo = operation.replace(/@\d+/, `@${Date.now() - 60_000}`);
  await using after = await openPreviews();
  const result = await after.testPreview.status(sampleStatus(minuteAgo, request));
  assert.equal(result.outcome, 'completed');
});

test('ignores forced outcomes in the prompts of live keys', async () => {
  await using previews = await openPreviews();
  const { poll, operation, request } = await startPreview(previews.preview, {
    prompt: '[test:fail]',
  });
  assert.equal(operation, `preview:${request.reference}`);
  assert.equal((await waitUntilFinal(poll)).outcome, 'completed');
});

test('uses the first of several forced outcomes, in its exact spelling', () => {
  assert.equal(forcedOutcome('x [test:slow] y [test:fail]'), 'slow');
  assert.equal(forcedOutcome('[TEST:fail] [test: fail] test:fail'), null);
});

test('holds no slot while a slow host is downloaded from', async () => {
  const arrived = Promise.withResolvers<void>();
  await using previews = await openPreviews({
    slots: 1,
    fetchMaterial: async () => {
      await arrived.promise;
      return { saved: false };
    },
  });
  const slow = await startPreview(previews.preview, {
    generationType: 'image-to-video',
    imageUrls: ['https://slow.example.test/image.png'],
  });
  const polling = slow.poll();
  const text = await startPreview(previews.preview, {});
  assert.equal((await waitUntilFinal(text.poll)).outcome, 'completed');
  arrived.resolve();
  assert.equal((await polling).outcome, 'completed');
});
