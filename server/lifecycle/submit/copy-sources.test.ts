/** An edit is as long as the parser says that finds more of its source. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureSource } from './copy-sources.ts';

const rows = [
  { ours: 4, ffmpeg: 4.04, seconds: 4, why: 'they round differently' },
  { ours: 4, ffmpeg: 28, seconds: 28, why: 'FFmpeg finds more' },
  { ours: 28, ffmpeg: 4, seconds: 28, why: 'we find more' },
  { ours: 4, ffmpeg: 'unavailable', seconds: 4, why: 'there is no FFmpeg' },
  { ours: 4, ffmpeg: null, seconds: null, why: 'FFmpeg finds no length' },
  { ours: null, ffmpeg: 4, seconds: null, why: 'we find none' },
] as const;

for (const { ours, ffmpeg, seconds, why } of rows) {
  test(`${ours} s and ${ffmpeg} s are ${seconds}: ${why}`, async () => {
    const sources = { measureVideo: async () => ours, measureShown: async () => ffmpeg };
    const { signal } = new AbortController();
    const source = { accountId: 'account', file: 'video', signal };
    assert.equal(await measureSource(sources, source), seconds);
  });
}
