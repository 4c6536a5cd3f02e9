/** Thorough: decodes and resamples whole files. */
import assert from 'node:assert/strict';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHostileMedia } from '../../proof/kit/hostile-media.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import {
  between,
  largestStep,
  loudnessOf,
  peakOf,
  renderSamples,
  toneLevel,
  toneOf,
} from '../testing/audio-analysis.ts';
import { audioFileNames, wavOf, writeAudioFile } from '../testing/media-writer.ts';
import { steady, writeVideo } from '../testing/video-files.ts';
import { UnusableMaterial } from '../unusable.ts';
import { openAudioFile } from './audio-file.ts';
import { mix } from './mix.ts';
import { sampleRate } from './sound.ts';

const folder = makeTemporaryFolder('preview');

const tone = toneOf({ hertz: 440, seconds: 2, level: 0.5 });

for (const name of audioFileNames) {
  test(`${name}: decoded as it was encoded`, async () => {
    const file = await writeAudioFile(folder, { name, samples: tone });
    const audio = await openAudioFile(file, { secondsMax: 30 });
    assert.ok(audio);
    assert.ok(Math.abs(audio.seconds - 2) < 0.1, `${audio.seconds} s in the header`);
    const decoded = await renderSamples(audio);
    assert.ok(Math.abs(decoded.length / 2 - 96_000) < 4_700, `${decoded.length / 2} samples`);
    const middle = between(decoded, 0.2, 1.8);
    assert.ok(Math.abs(toneLevel(middle, 440) - 0.5) < 0.02, `440 Hz at ${toneLevel(middle, 440)}`);
    assert.ok(peakOf(middle) < 0.56);
    assert.ok(largestStep(middle) < 0.05, `step ${largestStep(middle)}`);
  });
}

test('resamples to 48 kHz, and copies mono to both channels at full level', async () => {
  const samples = toneOf({ hertz: 440, seconds: 2, level: 0.5 });
  // At half the rate the same samples last twice as long and sound an octave lower.
  const slow = await writeAudioFile(folder, { name: 'song.flac', samples, rate: 24_000 });
  const decoded = await renderSamples((await openAudioFile(slow, { secondsMax: 30 }))!);
  assert.ok(Math.abs(decoded.length / 2 - 192_000) < 9_300);
  assert.ok(Math.abs(toneLevel(between(decoded, 0.5, 3.5), 220) - 0.5) < 0.01);

  const mono = join(folder, 'mono.wav');
  await writeFile(mono, wavOf(samples, { channels: 1 }));
  const both = await renderSamples((await openAudioFile(mono, { secondsMax: 30 }))!);
  assert.equal(both.length / 2, samples.length);
  for (let at = 0; at < 2_000; at += 2) {
    assert.equal(both[at], both[at + 1]);
    assert.ok(Math.abs(both[at]! - samples[at / 2]!) < 1e-4);
  }
});

test('stops at the maximum length, and can be closed twice', async () => {
  const file = await writeAudioFile(folder, { name: 'song.wav', samples: tone });
  const audio = await openAudioFile(file, { secondsMax: 1.25 });
  assert.equal(audio?.seconds, 1.25);
  assert.equal((await renderSamples(audio)).length / 2, 60_000);
  await audio.close();
});

test('the audio of a video stays in sync with its frames', async () => {
  for (const format of ['mp4', 'mov', 'webm', 'matroska']) {
    const file = join(folder, `video.${format}`);
    const codec = format === 'webm' ? 'libvpx' : 'libx264';
    await writeVideo(file, { format, codec, frames: steady({ seconds: 3 }), clickSeconds: 3 });
    const audio = await openAudioFile(file, { secondsMax: 30 });
    assert.ok(audio, format);
    const decoded = await renderSamples(mix({ tracks: [audio], background: null, seconds: 3.5 }));
    assert.equal(decoded.length / 2, 168_000);
    for (const second of [1, 2]) {
      const before = loudnessOf(between(decoded, second - 0.05, second - 0.02));
      const after = peakOf(between(decoded, second - 0.002, second + 0.01));
      assert.ok(after > 0.1 && before < after / 10, `${format}: ${before} before ${after}`);
    }
    assert.equal(peakOf(between(decoded, 3.2, 3.5)), 0);
  }
});

test('returns null for a video without audio', async () => {
  const file = join(folder, 'video.mp4');
  await writeVideo(file, { frames: steady({ seconds: 1 }) });
  assert.equal(await openAudioFile(file, { secondsMax: 30 }), null);
});

test('rejects a hostile audio file, or plays it within bounds', async () => {
  const secondsMax = 30;
  const file = join(folder, 'hostile');
  for (const { name, kind, bytes } of await makeHostileMedia()) {
    if (kind !== 'audio') continue;
    await writeFile(file, bytes);
    try {
      const audio = await openAudioFile(file, { secondsMax });
      const samples = audio ? (await renderSamples(audio)).length / 2 : 0;
      assert.ok(samples <= secondsMax * sampleRate, `${name}: ${samples} samples`);
    } catch (error) {
      assert.ok(error instanceof UnusableMaterial, `${name}: ${error}`);
    }
  }
});

test('needs no more memory for a long file than for a short one', async () => {
  const file = join(folder, 'long.wav');
  // Only the header is written; the rest of the file is sparse.
  const bytes = sampleRate * 4 * 300;
  await writeFile(file, wavOf(new Float32Array(0), { dataBytes: bytes }));
  await truncate(file, 44 + bytes);
  const audio = await openAudioFile(file, { secondsMax: 600 });
  assert.ok(audio);
  const before = process.memoryUsage().arrayBuffers;
  let [decoded, most] = [0, 0];
  for (let block = await audio.next(); block; block = await audio.next()) {
    decoded += block.length / 2;
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  await audio.close();
  assert.equal(decoded, sampleRate * 300);
  // All samples together would take 115 MB.
  assert.ok(most - before < 90_000_000, `${Math.round((most - before) / 1e6)} MB`);
});
