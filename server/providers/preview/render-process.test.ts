/** A render cannot exceed its limits, and its output cannot harm the service. */
import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RenderJob } from '@vidgen/renderer/render-job.ts';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { megapixelsIn, type RenderLimits, renderLimitsOf } from './render-limits.ts';
import { runRenderer } from './render-process.ts';

const renderer = fileURLToPath(new URL('../../../proof/kit/fake-renderer.ts', import.meta.url));
/** Kernel limits need POSIX, and resident memory needs Linux. */
const skipOnWindows = { skip: process.platform === 'win32' && 'Windows has no such limit' };
const skipButOnLinux = { skip: process.platform !== 'linux' && 'only Linux has such a limit' };

const ample: RenderLimits = {
  seconds: 60,
  cpuSeconds: 60,
  memoryMebibytes: 1024,
  fileMebibytes: 16,
};

async function run(prompt: string, limits: Partial<RenderLimits> = {}) {
  const folder = makeTemporaryFolder('render');
  const job: RenderJob = {
    generation: sampleGeneration({ prompt }),
    materials: [],
    seed: 0,
    limits: { combinedSecondsMax: 15, extendsVideos: false },
    out: { video: join(folder, 'clip.mp4'), lastFrame: null },
  };
  const jobFile = join(folder, 'job.json');
  await writeFile(jobFile, JSON.stringify(job));
  const shares: number[] = [];
  const result = await runRenderer({
    renderer,
    jobFile,
    folder,
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

test('completes a render within its limits', async () => {
  const { result } = await run('a boat');
  assert.deepEqual(result, { outcome: 'done', seconds: 5 });
});

test('kills a render that never ends', async () => {
  const limits = { seconds: 1 };
  await assertFailed(run('hang', limits), failed(/^the renderer took more than 1 s$/, 'timed_out'));
});

test('kills a render that uses too much CPU time', skipOnWindows, async () => {
  const limits = { cpuSeconds: 1 };
  await assertFailed(run('burn', limits), failed(/used more than 1 s of processor time/));
});

test('kills a render that uses too much memory', skipButOnLinux, async () => {
  const limits = { memoryMebibytes: 256 };
  await assertFailed(run('hoard', limits), failed(/took more than 256 MiB of memory/));
});

test('denies a large allocation that could not be watched', skipButOnLinux, async () => {
  const limits = { memoryMebibytes: 256 };
  await assertFailed(run('gulp', limits), failed(/Failed to allocate memory/));
});

test('stops, and fails nothing, when a signal to all processes ends a render', async () => {
  assert.deepEqual((await run('interrupt')).result, { outcome: 'stopped' });
});

test('limits the size of a file', skipOnWindows, async () => {
  const running = run('flood', { fileMebibytes: 2 });
  await assertFailed(running, failed(/EFBIG: file too large/));
  const { size } = await stat((await running).video);
  // Shells count blocks of 512 or 1,024 bytes.
  assert.ok(size <= 4 * 1024 ** 2, `${size} bytes`);
});

test('kills a render that writes too much output', async () => {
  await assertFailed(run('chatter'), failed(/the renderer wrote too much output/));
});

test('ignores output that is not a report', async () => {
  const running = run('nonsense');
  await assertFailed(running, failed(/the renderer ended with code 0/));
  assert.deepEqual((await running).shares, []);
});

test('scales the limits with the video and its materials', () => {
  const small = sampleGeneration({ resolution: '480p', duration: 4 });
  const large = sampleGeneration({ resolution: '4k', duration: 15 });
  for (const name of Object.keys(renderLimitsOf(small)) as (keyof RenderLimits)[]) {
    assert.ok(renderLimitsOf(small)[name] < renderLimitsOf(large)[name], name);
  }
  const withVideo = { ...small, videoUrls: ['https://cdn.example.test/video.mp4'] };
  for (const name of ['seconds', 'cpuSeconds', 'memoryMebibytes'] as const) {
    assert.ok(renderLimitsOf(small)[name] < renderLimitsOf(withVideo)[name], name);
  }
  const edit = sampleGeneration({ model: 'vidgen-2-5', duration: -1 });
  assert.equal(megapixelsIn(edit), megapixelsIn({ ...edit, duration: 30 }));
});
