/** A render keeps to its limits, whatever it does; and nothing that it says can hurt us. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RenderJob } from '@vidgen/renderer/render-job.ts';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { megapixelsIn, type RenderLimits, renderLimitsOf } from './render-limits.ts';
import { runRenderer } from './render-process.ts';

const renderer = fileURLToPath(new URL('../../../proof/kit/fake-renderer.ts', import.meta.url));
/** The kernel's limits are those of POSIX; memory in use is told by Linux alone. */
const skipOnWindows = { skip: process.platform === 'win32' && 'Windows has no such limit' };
const skipButOnLinux = { skip: process.platform !== 'linux' && 'only Linux has such a limit' };

const ample: RenderLimits = {
  ...{ seconds: 60, cpuSeconds: 60 },
  ...{ memoryMebibytes: 1024, fileMebibytes: 16 },
};

async function run(t: TestContext, prompt: string, limits: Partial<RenderLimits> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-render-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const job: RenderJob = {
    generation: sampleGeneration({ prompt }),
    materials: [],
    seed: 0,
    out: { video: join(folder, 'clip.mp4'), lastFrame: null },
  };
  const jobFile = join(folder, 'job.json');
  await writeFile(jobFile, JSON.stringify(job));
  const shares: number[] = [];
  const result = await runRenderer({
    ...{ renderer, jobFile, folder },
    limits: { ...ample, ...limits },
    signal: new AbortController().signal,
    onProgress: (share) => shares.push(share),
  });
  return { result, shares, video: job.out.video };
}

const failed = (detail: RegExp, reason = 'failed') => ({ outcome: 'failed', reason, detail });

async function assertFailed(running: ReturnType<typeof run>, expected: ReturnType<typeof failed>) {
  const { result } = await running;
  assert(result.outcome === 'failed', JSON.stringify(result));
  assert.equal(result.reason, expected.reason, result.detail);
  assert.match(result.detail, expected.detail);
}

test('one that keeps to its limits is done', async (t) => {
  const { result } = await run(t, 'a boat');
  assert.deepEqual(result, { outcome: 'done', seconds: 5 });
});

test('one that never ends is killed at its time', async (t) => {
  const limits = { seconds: 1 };
  await assertFailed(
    run(t, 'hang', limits),
    failed(/^the renderer took more than 1 s$/, 'timed_out'),
  );
});

test('one that burns processors is killed at its time on them', skipOnWindows, async (t) => {
  const limits = { cpuSeconds: 1 };
  await assertFailed(run(t, 'burn', limits), failed(/used more than 1 s of processor time/));
});

test('one that takes more and more memory is killed', skipButOnLinux, async (t) => {
  const limits = { memoryMebibytes: 256 };
  await assertFailed(run(t, 'hoard', limits), failed(/took more than 256 MiB of memory/));
});

test(
  'one that wants more memory at once than we could watch gets none',
  skipButOnLinux,
  async (t) => {
    const limits = { memoryMebibytes: 256 };
    await assertFailed(run(t, 'gulp', limits), failed(/Failed to allocate memory/));
  },
);

test('one that fills the disk can write no more', skipOnWindows, async (t) => {
  const running = run(t, 'flood', { fileMebibytes: 2 });
  await assertFailed(running, failed(/EFBIG: file too large/));
  const { size } = await stat((await running).video);
  // Shells count in blocks of 512 bytes, or of 1,024.
  assert.ok(size <= 4 * 1024 ** 2, `${size} bytes`);
});

test('one that talks without end is killed', async (t) => {
  await assertFailed(run(t, 'chatter'), failed(/the renderer wrote too much output/));
});

test('what is no report is no progress and no end', async (t) => {
  const running = run(t, 'nonsense');
  await assertFailed(running, failed(/the renderer ended with code 0/));
  assert.deepEqual((await running).shares, []);
});

test('limits grow with the clip and its films, and an edit counts as its longest source', () => {
  const small = sampleGeneration({ resolution: '480p', duration: 4 });
  const large = sampleGeneration({ resolution: '4k', duration: 15 });
  for (const name of Object.keys(renderLimitsOf(small)) as (keyof RenderLimits)[]) {
    assert.ok(renderLimitsOf(small)[name] < renderLimitsOf(large)[name], name);
  }
  const withVideo = { ...small, videoUrls: ['https://cdn.example.test/film.mp4'] };
  for (const name of ['seconds', 'cpuSeconds', 'memoryMebibytes'] as const) {
    assert.ok(renderLimitsOf(small)[name] < renderLimitsOf(withVideo)[name], name);
  }
  const edit = sampleGeneration({ model: 'vidgen-2-5', duration: -1 });
  assert.equal(megapixelsIn(edit), megapixelsIn({ ...edit, duration: 30 }));
});
