import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { createLog } from '../log.ts';
import { sampleGeneration, sampleStart, sampleStatus } from '../testing/conformance-bench.ts';
import type { Told } from '../testing/stand-in-renderer.ts';
import { createPreviews, forcedOutcome, type PreviewOptions, type Previews } from './preview.ts';
import type { Provider, StatusAnswer } from './provider.ts';

const standIn = fileURLToPath(new URL('../testing/stand-in-renderer.ts', import.meta.url));

type Open = Previews & AsyncDisposable & { readonly folder: string };

async function open(change: Partial<PreviewOptions> = {}): Promise<Open> {
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-previews-'));
  const previews = await createPreviews({
    folder,
    slots: 2,
    log: createLog('silent'),
    fetchMaterial: async () => ({ saved: false }),
    renderer: standIn,
    ...change,
  });
  return {
    ...previews,
    folder,
    async [Symbol.asyncDispose]() {
      await previews.preview.close?.();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A started generation, and a way to look at it. */
async function begin(provider: Provider, change: Partial<Generation>) {
  const request = sampleStart(change);
  const answer = await provider.start(request);
  assert(answer.outcome === 'accepted');
  const { operation } = answer;
  const stop = new AbortController();
  const status = sampleStatus(operation, request);
  const look = () => provider.status({ ...status, signal: stop.signal });
  return { request, operation, look, stop };
}

async function untilFinal(look: () => Promise<StatusAnswer>): Promise<StatusAnswer> {
  for (;;) {
    const answer = await look();
    if (answer.outcome !== 'pending') return answer;
    await pause(20);
  }
}

function fileOf(answer: StatusAnswer): string {
  assert(answer.outcome === 'completed', JSON.stringify(answer));
  assert('file' in answer.video);
  return answer.video.file;
}

const told = async (answer: StatusAnswer): Promise<Told> =>
  JSON.parse(await readFile(fileOf(answer), 'utf8'));

/** The lines that renderers wrote on beginning and ending, in order. */
async function diaryOf({ folder }: Open): Promise<string[]> {
  for (const own of await readdir(folder)) {
    const file = join(folder, own, 'diary');
    if (existsSync(file)) return (await readFile(file, 'utf8')).trim().split('\n');
  }
  return [];
}

/** Waits until a renderer runs, and says which process it is. */
async function processIn(previews: Open): Promise<number> {
  for (;;) {
    const [first] = await diaryOf(previews);
    if (first) return Number(first.split(' ')[1]);
    await pause(20);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('renders a real clip and leaves nothing else behind', async () => {
  await using previews = await open();
  const real = await createPreviews({
    folder: previews.folder,
    slots: 1,
    log: createLog('silent'),
    fetchMaterial: async () => ({ saved: false }),
  });
  const { look } = await begin(real.preview, {
    ...{ model: 'vidgen-2-0-mini', resolution: '480p', duration: 4 },
    ...{ generateAudio: false, returnLastFrame: true },
  });
  const answer = await untilFinal(look);
  assert(answer.outcome === 'completed' && answer.lastFrame && 'file' in answer.lastFrame);
  assert.equal(answer.outputSeconds, 4);
  const video = await readFile(fileOf(answer));
  assert.equal(video.toString('latin1', 4, 8), 'ftyp');
  assert.deepEqual([...(await readFile(answer.lastFrame.file)).subarray(0, 2)], [0xff, 0xd8]);
  const own = join(fileOf(answer), '..');
  assert.equal((await readdir(own)).length, 2, 'no job file, no materials');
  await real.preview.close?.();
  await assert.rejects(stat(own), { code: 'ENOENT' });
});

test('knows whether this machine can render', async () => {
  await using previews = await open();
  const { folder } = previews;
  const real = await createPreviews({
    ...{ folder, slots: 1, log: createLog('silent') },
    fetchMaterial: async () => ({ saved: false }),
  });
  assert.deepEqual(await real.canRender(), { ready: true, detail: '' });
  await real.preview.close?.();
  assert.equal((await previews.canRender()).ready, false, 'the stand-in cannot');
});

test('gives the renderer the request, materials and a seed, but none of our secrets', async () => {
  process.env.VIDGEN_SECRET = 'a secret that the renderer must not see';
  process.env.VIDGEN_DATABASE_URL = 'postgres://user:password@127.0.0.1/db';
  const asked: unknown[] = [];
  await using previews = await open({
    fetchMaterial: async ({ url, kind, bytesMax, into }) => {
      asked.push({ url, kind, bytesMax });
      if (!url.includes('good')) throw new Error('no such host');
      const { writeFile } = await import('node:fs/promises');
      await writeFile(into, 'bytes of the picture');
      return { saved: true };
    },
  });
  const [good, bad] = ['https://cdn.example.test/good.png?sign=hush', 'https://b.example.test/x'];
  const { look, request } = await begin(previews.preview, {
    ...{ generationType: 'reference-to-video', imageUrls: [good], videoUrls: [bad] },
    seed: 0,
  });
  const { job, environment } = await told(await untilFinal(look));
  assert.deepEqual(asked, [
    { url: good, kind: 'image', bytesMax: 30 * 1024 ** 2 },
    { url: bad, kind: 'video', bytesMax: 200 * 1024 ** 2 },
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
  const known = ['PATH', 'LANG', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'LD_LIBRARY_PATH'];
  const windows = ['SystemRoot', 'windir'];
  for (const name of Object.keys(environment))
    assert.ok([...known, ...windows].includes(name), name);
  delete process.env.VIDGEN_SECRET;
  delete process.env.VIDGEN_DATABASE_URL;
});

test('without a seed, tasks differ and tries of one task do not', async () => {
  await using previews = await open();
  const first = await begin(previews.preview, { seed: null });
  const other = await begin(previews.preview, { seed: -1 });
  const seeds = [];
  for (const look of [first.look, first.look, other.look]) {
    seeds.push((await told(await untilFinal(look))).job.seed);
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
  (previews: Open, begun: Awaited<ReturnType<typeof begin>>) => Promise<unknown>,
])[]) {
  test(`${what} kills the renderer and leaves no file`, async () => {
    await using previews = await open();
    const begun = await begin(previews.preview, { prompt: 'hang' });
    const looking = begun.look();
    const pid = await processIn(previews);
    assert.ok(isAlive(pid));
    const answer = await stop(previews, begun);
    if (what === 'a cancel') assert.equal(answer, 'stopped');
    assert.equal((await looking).outcome, 'pending');
    assert.equal(isAlive(pid), false);
    const left = await readdir(previews.folder, { recursive: true });
    assert.deepEqual(
      left.filter((name) => /mp4|jpg|json/.test(name)),
      [],
    );
  });
}

test('a cancel of what does not run here is confirmed all the same', async () => {
  await using previews = await open();
  assert.equal(await previews.preview.cancel('preview:vg_unknown'), 'stopped');
});

test('a second look while it renders tells how far it is and starts nothing', async () => {
  await using previews = await open();
  const { look, stop } = await begin(previews.preview, { prompt: 'hang' });
  const first = look();
  await processIn(previews);
  let second = await look();
  while (second.outcome === 'pending' && second.progress === 0) second = await look();
  assert.deepEqual(second, { outcome: 'pending', askAgainSeconds: 1, progress: 0.25 });
  assert.equal((await diaryOf(previews)).length, 1);
  stop.abort();
  await first;
});

test('never renders more clips at once than there are slots', async () => {
  await using previews = await open({ slots: 2 });
  // Both flavours draw on the same slots.
  const one = await begin(previews.preview, { prompt: 'hang' });
  const other = await begin(previews.testPreview, { prompt: 'hang' });
  const third = await begin(previews.preview, {});
  const looking = [one.look(), other.look()];
  while ((await diaryOf(previews)).length < 2) await pause(20);
  assert.deepEqual(await third.look(), { outcome: 'pending', askAgainSeconds: 1 });
  assert.equal((await diaryOf(previews)).length, 2, 'the third has not begun');
  await previews.preview.cancel(one.operation);
  assert.equal((await untilFinal(third.look)).outcome, 'completed');
  other.stop.abort();
  await Promise.all(looking);
});

test('renders one clip in 4k at a time, whatever the slots', async () => {
  await using previews = await open({ slots: 4 });
  const large = await begin(previews.preview, { prompt: 'hang', resolution: '4k' });
  const looking = large.look();
  await processIn(previews);
  const second = await begin(previews.preview, { resolution: '4k' });
  assert.equal((await second.look()).outcome, 'pending');
  assert.equal((await untilFinal((await begin(previews.preview, {})).look)).outcome, 'completed');
  large.stop.abort();
  await looking;
});

test('says what went wrong with a render', async () => {
  await using previews = await open();
  const failureOf = async (prompt: string) =>
    await untilFinal((await begin(previews.preview, { prompt })).look);
  assert.deepEqual(await failureOf('material'), {
    outcome: 'failed',
    reason: 'material',
    detail: 'image 1: not a picture',
  });
  assert.deepEqual(await failureOf('crash'), {
    outcome: 'failed',
    reason: 'failed',
    detail: 'the renderer ended with code 3: out of luck',
  });
  const babble = await failureOf('babble');
  assert.partialDeepStrictEqual(babble, { outcome: 'failed', reason: 'failed' });
});

test('marks in the prompt force outcomes for test keys', async () => {
  await using previews = await open();
  const answerTo = async (prompt: string) => {
    const { look } = await begin(previews.testPreview, { prompt });
    return await look();
  };
  const pending = { outcome: 'pending' };
  const failed = { outcome: 'failed', reason: 'failed' };
  assert.partialDeepStrictEqual(await answerTo('a boat [test:fail] on a lake'), failed);
  assert.partialDeepStrictEqual(await answerTo('[test:reject]'), { ...failed, reason: 'rejected' });
  assert.partialDeepStrictEqual(await answerTo('[test:timeout]'), pending);
  assert.partialDeepStrictEqual(await answerTo('[test:slow]'), pending);
  assert.equal((await answerTo('[test:other]')).outcome, 'completed');
  assert.equal((await diaryOf(previews)).length, 2, 'only the last was rendered');
});

test('a slow task completes a minute after its start, on whichever process', async () => {
  await using before = await open();
  const { operation, request } = await begin(before.testPreview, { prompt: '[test:slow]' });
  assert.match(operation, /^preview:slow@\d+:/);
  const minuteAgo = operation.replace(/@\d+/, `@${Date.now() - 60_000}`);
  await using after = await open();
  const answer = await after.testPreview.status(sampleStatus(minuteAgo, request));
  assert.equal(answer.outcome, 'completed');
});

test('marks are plain words for live keys', async () => {
  await using previews = await open();
  const { look, operation, request } = await begin(previews.preview, { prompt: '[test:fail]' });
  assert.equal(operation, `preview:${request.reference}`);
  assert.equal((await untilFinal(look)).outcome, 'completed');
});

test('the first mark of several counts, and only as it is written', () => {
  assert.equal(forcedOutcome('x [test:slow] y [test:fail]'), 'slow');
  assert.equal(forcedOutcome('[TEST:fail] [test: fail] test:fail'), null);
});

test('is usually done in seconds, later where there is more to draw', async () => {
  await using previews = await open();
  const { usualSeconds } = previews.preview;
  const usual = usualSeconds(sampleGeneration());
  assert.ok(usual >= 1 && usual <= 5, `${usual} s`);
  assert.ok(usualSeconds(sampleGeneration({ resolution: '4k', duration: 15 })) > usual);
});
