/**
 * The sound of a clip: references, their lengths, and music.
 *
 * Thorough: decodes and encodes sound.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { planOf } from './plan.ts';
import { parsePrompt } from './prompt-brief.ts';
import { framesPerSecond, type JobMaterial, type RenderJob } from './render-job.ts';
import { sampleRate } from './sound/sound.ts';
import { openSoundtrack } from './soundtrack.ts';
import { renderSamples } from './testing/audio-analysis.ts';
import { writeAudioFile } from './testing/media-writer.ts';
import { jobOf } from './testing/rendered.ts';
import { steady, videoMaterial, writeVideo } from './testing/video-files.ts';
import { UnusableMaterial } from './unusable.ts';

const folder = makeTemporaryFolder('preview');
const at = (name: string): string => join(folder, name);
const frames = steady({ seconds: 2.5 });
const clicking = await writeVideo(at('clicking'), { frames, clickSeconds: 2.5 });
const mute = await writeVideo(at('mute'), { frames });

const audioMaterial = (file: string): JobMaterial => ({
  kind: 'audio',
  index: 0,
  file,
  title: 'cdn.example.test/song.m4a',
});

async function soundtrackOf(
  materials: readonly JobMaterial[],
  change: Partial<RenderJob['generation']> = {},
): Promise<Float32Array | null> {
  const prompt = 'Make it night';
  const job = jobOf(materials, { duration: -1, prompt, generateAudio: true, ...change });
  const plan = await planOf(job);
  const seconds = plan.frames / framesPerSecond;
  const brief = parsePrompt(prompt);
  const sound = await openSoundtrack(job, { plan, brief, seconds });
  if (!sound) return null;
  const samples = await renderSamples(sound);
  assert.equal(samples.length / 2, seconds * sampleRate, 'as long as the video');
  return samples;
}

/** Positions of loud sounds in samples per channel, at least half a second apart. */
function clicksIn(samples: Float32Array, loud = 0.4): number[] {
  const starts: number[] = [];
  for (let at = 0; at < samples.length / 2; at += 1) {
    const isNew = at - (starts.at(-1) ?? -sampleRate) > sampleRate / 2;
    if (isNew && Math.abs(samples[at * 2]!) > loud) starts.push(at);
  }
  return starts;
}

test('an edit of a silent video has music, and none when audio is off', async () => {
  const samples = await soundtrackOf([videoMaterial(0, mute)]);
  assert.ok(samples!.some((sample) => Math.abs(sample) > 0.05));
  assert.equal(await soundtrackOf([videoMaterial(0, clicking)], { generateAudio: false }), null);
});

test('plays given audio over the music, or over the source of an edit', async () => {
  const song = audioMaterial(clicking);
  const over = await soundtrackOf([song], { duration: 4 });
  const seconds = clicksIn(over!).map((start) => Math.round(start / sampleRate));
  assert.deepEqual(seconds.slice(0, 3), [0, 1, 2], 'one click per second; music follows');
  const edit = await soundtrackOf([videoMaterial(0, mute), song]);
  assert.equal(clicksIn(edit!).length, 3);
});

test('names the audio file that cannot be used', async () => {
  const page = join(folder, 'page');
  await writeFile(page, '<!doctype html><title>Not found</title>');
  await assert.rejects(soundtrackOf([audioMaterial(page)], { duration: 4 }), (error: Error) => {
    assert.ok(error instanceof UnusableMaterial);
    assert.match(error.message, /^audio 1 \(cdn\.example\.test\/song\.m4a\): /);
    return true;
  });
  await assert.rejects(soundtrackOf([audioMaterial(mute)], { duration: 4 }), /it has no audio/);
});

test('audio files that are too long in all cannot be used', async () => {
  const samples = new Float32Array(6 * sampleRate * 2).fill(0.1);
  for (const name of ['song.mp3', 'song.aac'] as const) {
    const song = audioMaterial(await writeAudioFile(folder, { name, samples }));
    const songs = (count: number) => Array.from({ length: count }, () => song);
    const ask = { model: 'vidgen-2-0', duration: 4 } as const;
    await assert.rejects(soundtrackOf(songs(3), ask), (error: Error) => {
      assert.ok(error instanceof UnusableMaterial);
      assert.match(
        error.message,
        /^the audio files are 18\.\d s long in all; the maximum is 15 s$/,
      );
      return true;
    });
    assert.ok(await soundtrackOf(songs(2), ask), name);
  }
});
