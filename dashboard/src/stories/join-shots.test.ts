import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { BlobSource, EncodedPacketSink, Input, type InputTrack, MP4 } from 'mediabunny';
import { resultVideoPath } from '../../../proof/kit/result-server.ts';
import { CannotJoin, joinShots } from './join-shots.ts';

const bytes = await readFile(resultVideoPath);
const shot = new Blob([bytes]);

/** The same video with other bytes at a distance from the name of a box, not from its brand. */
function patched(name: string, distance: number, content: string): Blob {
  const copy = Buffer.from(bytes);
  const at = copy.lastIndexOf(name);
  assert(at > 0);
  copy.write(content, at + distance, 'latin1');
  return new Blob([copy]);
}

/** Start and end of every packet in the order of presentation. */
async function timesOf(track: InputTrack | null) {
  assert(track);
  const times: { from: number; to: number }[] = [];
  for await (const { timestamp, duration } of new EncodedPacketSink(track).packets()) {
    times.push({ from: timestamp, to: timestamp + duration });
  }
  return times.toSorted((one, other) => one.from - other.from);
}

async function read(file: Blob) {
  const input = new Input({ source: new BlobSource(file), formats: [MP4] });
  return {
    video: await timesOf(await input.getPrimaryVideoTrack()),
    audio: await timesOf(await input.getPrimaryAudioTrack()),
  };
}

test('joins shots in order without a gap, and leaves out frames that would repeat', async () => {
  const one = await read(shot);
  const { video, audio } = await read(await joinShots([shot, shot, shot]));
  const left = 3 * one.video.length - video.length;
  assert(left >= 0 && left <= 2, `${left} frames less`);
  const frame = 1 / 24;
  assert(Math.abs(video.at(-1)!.to - (3 - left * frame)) < 0.002, `${video.at(-1)!.to} s`);
  for (const [at, { from }] of video.entries()) {
    assert(Math.abs(from - at * frame) < 0.002, `frame ${at} at ${from} s`);
  }
  for (const [at, { from }] of audio.slice(1).entries()) {
    const gap = from - audio[at]!.to;
    assert(Math.abs(gap) < 0.02, `sound pauses for ${gap} s at ${from} s`);
  }
});

test('keeps the sound of later shots in place when one is silent', async () => {
  const silent = patched('soun', 0, 'xxxx');
  const { video, audio } = await read(await joinShots([shot, silent, shot]));
  const end = video.at(-1)!.to;
  assert(audio.some(({ from }) => from > end - 0.1));
  const pause = audio.find(({ from }, at) => at > 0 && from - audio[at - 1]!.from > 0.5);
  assert(pause && pause.from > 1.8 && pause.from < 2.1, JSON.stringify(pause));
});

test('names the shot that cannot be joined', async () => {
  const reasons: readonly (readonly [Blob, RegExp])[] = [
    [patched('avc1', 28, '\x02\x80\x01\x68'), /^Shot 2 is 640 × 360 and shot 1 is 320 × 180\./],
    [patched('avcC', 20, '\x33'), /^The video of shot 2 is encoded differently\./],
    [new Blob([bytes.subarray(0, 100)]), /^Shot 2 isn’t an MP4/],
    [new Blob(['<html>']), /^Shot 2 isn’t an MP4/],
  ];
  for (const [other, message] of reasons) {
    await assert.rejects(joinShots([shot, other]), (error) => {
      assert(error instanceof CannotJoin);
      assert.match(error.message, message);
      return true;
    });
  }
});
