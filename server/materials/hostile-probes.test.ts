/**
 * Hostile media over real HTTP: every probe ends, and the next good file is read.
 *
 * Thorough: probes dozens of files.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHostileMedia } from '../../proof/kit/hostile-media.ts';
import { startMaterialsFixture } from '../../proof/kit/materials-fixture.ts';
import { makeMedia } from '../../proof/kit/media-files.ts';

const videoFile = await makeMedia({ format: 'mp4', video: 'libx264', audio: 'aac', seconds: 4 });

test('hostile files cost only their own time, one after the other', async (t) => {
  const files = await makeHostileMedia();
  assert.ok(files.length >= 60);
  const { server, probe } = await startMaterialsFixture(t);
  for (const [index, { name, kind, bytes, outcome, seconds = 0 }] of files.entries()) {
    const url = server.serve(`file ${index}`, bytes);
    const ask = () => probe({ [`${kind}s`]: [url] }, `account ${index}`);
    let report = await ask();
    // On a busy machine the process that parses may start too late.
    while (report.isBusy) report = await ask();
    const [length] = [...report.videos, ...report.audios];
    const what = `${name}: ${JSON.stringify(report)}`;
    const refusal = /is not an? .* we can read: it |at most 48 million pixels/;
    if (outcome === 'refused') assert.match(report.problems, refusal, what);
    if (outcome === 'measured') assert.ok(Math.abs((length ?? 0) - seconds) <= 0.1, what);
    if (outcome === 'unpriced') {
      assert.deepEqual(report.measuredVideos, [null], what);
      assert.ok((length ?? 0) >= seconds, what);
    }
    if (outcome === 'taken') assert.equal(report.problems + report.unreachable, '', what);
    if (outcome === 'undecodable') assert.equal(report.problems, '', what);
  }
  const good = await probe({ videos: [server.serve('video', videoFile)] });
  assert.deepEqual(good.videos, [4], 'and the next good one is read');
});
