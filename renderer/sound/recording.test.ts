import assert from 'node:assert/strict';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  between,
  largestStep,
  loudnessOf,
  peakOf,
  renderSamples,
  toneLevel,
  toneOf,
} from '../testing/audio-analysis.ts';
import {
  recordingNames,
  wavOf,
  writeOddRecordings,
  writeRecording,
} from '../testing/recordings.ts';
import { openScratch } from '../testing/rendered.ts';
import { steady, writeVideo } from '../testing/video-files.ts';
import { mix } from './mix.ts';
import { openRecording } from './recording.ts';
import { sampleRate } from './sound.ts';
import { UnusableRecording } from './sound-file.ts';

const tone = toneOf({ hertz: 440, seconds: 2, level: 0.5 });

for (const name of recordingNames) {
  test(`${name}: heard as it was recorded`, async () => {
    await using scratch = await openScratch();
    const file = await writeRecording(scratch.folder, { name, samples: tone });
    const recording = await openRecording(file, { secondsMax: 30 });
    assert.ok(recording);
    assert.ok(Math.abs(recording.seconds - 2) < 0.1, `says ${recording.seconds} s`);
    const heard = await renderSamples(recording);
    assert.ok(Math.abs(heard.length / 2 - 96_000) < 4_700, `${heard.length / 2} samples`);
    const middle = between(heard, 0.2, 1.8);
    assert.ok(Math.abs(toneLevel(middle, 440) - 0.5) < 0.02, `440 Hz at ${toneLevel(middle, 440)}`);
    assert.ok(peakOf(middle) < 0.56);
    assert.ok(largestStep(middle) < 0.05, `step ${largestStep(middle)}`);
  });
}

test('another rate is brought to ours, one channel to two as loud as it was', async () => {
  await using scratch = await openScratch();
  const samples = toneOf({ hertz: 440, seconds: 2, level: 0.5 });
  // At half the rate the same samples last twice as long and sound an octave lower.
  const slow = await writeRecording(scratch.folder, { name: 'song.flac', samples, rate: 24_000 });
  const heard = await renderSamples((await openRecording(slow, { secondsMax: 30 }))!);
  assert.ok(Math.abs(heard.length / 2 - 192_000) < 9_300);
  assert.ok(Math.abs(toneLevel(between(heard, 0.5, 3.5), 220) - 0.5) < 0.01);

  const mono = join(scratch.folder, 'mono.wav');
  await writeFile(mono, wavOf(samples, { channels: 1 }));
  const both = await renderSamples((await openRecording(mono, { secondsMax: 30 }))!);
  assert.equal(both.length / 2, samples.length);
  for (let at = 0; at < 2_000; at += 2) {
    assert.equal(both[at], both[at + 1]);
    assert.ok(Math.abs(both[at]! - samples[at / 2]!) < 1e-4);
  }
});

test('stops at the longest it may be, and can be closed twice', async () => {
  await using scratch = await openScratch();
  const file = await writeRecording(scratch.folder, { name: 'song.wav', samples: tone });
  const recording = await openRecording(file, { secondsMax: 1.25 });
  assert.equal(recording?.seconds, 1.25);
  assert.equal((await renderSamples(recording)).length / 2, 60_000);
  await recording.close();
});

test('the sound of a video keeps its place beside the picture', async () => {
  await using scratch = await openScratch();
  for (const format of ['mp4', 'mov', 'webm', 'matroska']) {
    const file = join(scratch.folder, `film.${format}`);
    const codec = format === 'webm' ? 'libvpx' : 'libx264';
    await writeVideo(file, { format, codec, frames: steady({ seconds: 3 }), clickSeconds: 3 });
    const recording = await openRecording(file, { secondsMax: 30 });
    assert.ok(recording, format);
    const heard = await renderSamples(mix({ given: [recording], bed: null, seconds: 3.5 }));
    assert.equal(heard.length / 2, 168_000);
    for (const second of [1, 2]) {
      const before = loudnessOf(between(heard, second - 0.05, second - 0.02));
      const after = peakOf(between(heard, second - 0.002, second + 0.01));
      assert.ok(after > 0.1 && before < after / 10, `${format}: ${before} before ${after}`);
    }
    assert.equal(peakOf(between(heard, 3.2, 3.5)), 0);
  }
});

test('a video without sound has none', async () => {
  await using scratch = await openScratch();
  const file = join(scratch.folder, 'film.mp4');
  await writeVideo(file, { frames: steady({ seconds: 1 }) });
  assert.equal(await openRecording(file, { secondsMax: 30 }), null);
});

test('a damaged or lying file is told by name, or heard within bounds', async () => {
  await using scratch = await openScratch();
  for (const { name, file, verdict } of await writeOddRecordings(scratch.folder, tone)) {
    let outcome: number | string;
    try {
      const recording = await openRecording(file, { secondsMax: 30 });
      outcome = recording ? (await renderSamples(recording)).length / 2 / sampleRate : 'no sound';
    } catch (error) {
      assert.ok(error instanceof UnusableRecording, `${name}: ${error}`);
      outcome = error.message;
    }
    if (typeof verdict === 'number') {
      const isNear = typeof outcome === 'number' && Math.abs(outcome - verdict) < 0.2;
      assert.ok(isNear, `${name}: ${outcome}, not ${verdict} s`);
    } else assert.match(String(outcome), verdict, name);
  }
});

test('a long recording takes no more memory than a short one', async () => {
  await using scratch = await openScratch();
  const file = join(scratch.folder, 'long.wav');
  // Only its header is written; the silence after it takes no room.
  const bytes = sampleRate * 4 * 300;
  await writeFile(file, wavOf(new Float32Array(0), { dataBytes: bytes }));
  await truncate(file, 44 + bytes);
  const recording = await openRecording(file, { secondsMax: 600 });
  assert.ok(recording);
  const before = process.memoryUsage().arrayBuffers;
  let [heard, most] = [0, 0];
  for (let block = await recording.next(); block; block = await recording.next()) {
    heard += block.length / 2;
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  await recording.close();
  assert.equal(heard, sampleRate * 300);
  // Kept, they would be 115 MB.
  assert.ok(most - before < 90_000_000, `${Math.round((most - before) / 1e6)} MB`);
});
