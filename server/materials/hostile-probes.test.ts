/**
 * Hostile media over real HTTP: every probe ends, and the ones beside it are not affected.
 *
 * Thorough: probes more than a hundred files.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { HostileFile } from '../../proof/kit/hostile-file.ts';
import { makeHostileMedia } from '../../proof/kit/hostile-media.ts';
import { startMaterialsFixture } from '../../proof/kit/materials-fixture.ts';
import { makeMedia } from '../../proof/kit/media-files.ts';

const videoFile = await makeMedia({ format: 'mp4', video: 'libx264', audio: 'aac', seconds: 4 });

describe('hostile files cost only their own time', () => {
  let files: readonly HostileFile[];
  before(async () => {
    files = await makeHostileMedia();
    assert.ok(files.length >= 100);
  });

  test('each of them, one after the other', async (t) => {
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

  test('all of them at once, next to a valid one of another account', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, { probeTimeoutMs: 2_000 });
    const urlsOf = (wanted: string) =>
      files.flatMap(({ kind, bytes }, index) =>
        kind === wanted ? [server.serve(`file ${index}`, bytes)] : [],
      );
    const attack = probe(
      { images: urlsOf('image'), videos: urlsOf('video'), audios: urlsOf('audio') },
      'hostile',
    );
    const good = await probe({ videos: [server.serve('video', videoFile)] }, 'honest');
    assert.deepEqual(good.problems, '');
    const { problems, isBusy } = await attack;
    if (!isBusy) assert.match(problems, /an SVG image/);
  });
});
