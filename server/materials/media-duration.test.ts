/**
 * Lengths of media files, measured from their samples.
 * Thorough: decodes many files; `probe-material.test.ts` is in every run.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Logging, LogLevel } from 'mediabunny';
import { withEdits } from '../../proof/kit/hostile-timing.ts';
import { type MediaRecipe, makeMedia } from '../../proof/kit/media-files.ts';
import { type DurationResult, measureDuration } from './media-duration.ts';

Logging.level = LogLevel.Silent;

const h264Recipe = { video: 'libx264', audio: 'aac', seconds: 4 } as const;
const webmRecipe = { video: 'libvpx', audio: 'libopus', seconds: 4 } as const;

const videos: Readonly<Record<string, MediaRecipe>> = {
  'MP4 with its index in front': {
    ...h264Recipe,
    format: 'mp4',
    options: { movflags: '+faststart' },
  },
  'MP4 with its index at the end': { ...h264Recipe, format: 'mp4' },
  'fragmented MP4': {
    format: 'mp4',
    video: 'mpeg4',
    seconds: 4,
    options: { movflags: '+frag_keyframe+empty_moov' },
  },
  'MOV with PCM sound': { format: 'mov', video: 'mpeg4', audio: 'pcm_s16le', seconds: 4 },
  WebM: { ...webmRecipe, format: 'webm' },
  'WebM of a live recording, without length or index': {
    ...webmRecipe,
    format: 'webm',
    options: { live: 1 },
  },
  MKV: { ...h264Recipe, format: 'matroska' },
};

const audios: Readonly<Record<string, MediaRecipe>> = {
  'MP3 with a Xing header': { format: 'mp3', audio: 'libmp3lame', seconds: 4 },
  'MP3 without one': {
    format: 'mp3',
    audio: 'libmp3lame',
    seconds: 4,
    options: { write_xing: 0 },
  },
  WAV: { format: 'wav', audio: 'pcm_s16le', seconds: 4 },
  M4A: { format: 'ipod', audio: 'aac', seconds: 4 },
  AAC: { format: 'adts', audio: 'aac', seconds: 4 },
  'OGG with Vorbis': { format: 'ogg', audio: 'libvorbis', seconds: 4 },
  'OGG with Opus': { format: 'ogg', audio: 'libopus', seconds: 4 },
  FLAC: { format: 'flac', audio: 'flac', seconds: 4 },
};

const whole = (bytes: Uint8Array, kind: 'video' | 'audio') =>
  measureDuration({ kind, bytesTotal: bytes.length, pieces: [{ start: 0, bytes }] });

function assertSeconds(measured: DurationResult, seconds: number): void {
  assert.equal(measured.outcome, 'measured', JSON.stringify(measured));
  const result = measured.outcome === 'measured' ? measured.seconds : 0;
  assert.ok(Math.abs(result - seconds) <= 0.07, `${result} s instead of ${seconds} s`);
}

/** Fetches like a reader: the known bytes first, then the requested ones, a few at a time. */
async function inPieces(bytes: Uint8Array, kind: 'video' | 'audio', pieceBytes: number) {
  const pieces = [{ start: 0, bytes: bytes.subarray(0, pieceBytes) }];
  for (let reads = 0; reads < 200; reads += 1) {
    const measured = await measureDuration({ kind, bytesTotal: bytes.length, pieces });
    if (measured.outcome !== 'needs') return measured;
    const { start, end } = measured;
    assert.ok(start >= 0 && end > start && end <= bytes.length, `${start} to ${end}`);
    pieces.push({ start, bytes: bytes.subarray(start, Math.max(end, start + pieceBytes)) });
    pieces.sort((one, other) => one.start - other.start);
  }
  throw new Error('it never ends');
}

describe('measures a duration to a few hundredths of a second', () => {
  for (const [kind, recipes] of Object.entries({ video: videos, audio: audios })) {
    for (const [name, recipe] of Object.entries(recipes)) {
      test(name, async () => {
        const bytes = await makeMedia(recipe);
        assertSeconds(await whole(bytes, kind as 'video' | 'audio'), 4);
        assertSeconds(await inPieces(bytes, kind as 'video' | 'audio', 4_096), 4);
      });
    }
  }
});

describe('recognizes files of the other kind or of no kind', async () => {
  const mediaFiles = new Map<string, Buffer>();
  mediaFiles.set('MP4 video', await makeMedia({ ...h264Recipe, format: 'mp4' }));
  mediaFiles.set('silent video', await makeMedia({ format: 'mp4', video: 'mpeg4', seconds: 2 }));
  mediaFiles.set('sound', await makeMedia({ format: 'mp4', audio: 'aac', seconds: 2 }));
  mediaFiles.set('song', await makeMedia({ format: 'mp3', audio: 'libmp3lame', seconds: 2 }));
  mediaFiles.set('WebM video', await makeMedia({ ...webmRecipe, format: 'webm' }));
  mediaFiles.set('truncated video', mediaFiles.get('MP4 video')!.subarray(0, 10_000));
  mediaFiles.set('zeros', Buffer.alloc(10_000));
  const rows = [
    ['sound', 'video', 'no_video_track'],
    ['silent video', 'audio', 'no_audio_track'],
    ['MP4 video', 'audio', 'has_video_track'],
    ['song', 'video', 'format'],
    ['WebM video', 'audio', 'format'],
    ['truncated video', 'video', 'broken'],
    ['zeros', 'video', 'format'],
    ['zeros', 'audio', 'format'],
  ] as const;
  for (const [name, kind, reason] of rows) {
    test(`${name} as ${kind}: ${reason}`, async () => {
      assert.deepEqual(await whole(mediaFiles.get(name)!, kind), { outcome: 'unreadable', reason });
    });
  }
  test('an MP4 file with only an audio track is audio', async () => {
    assertSeconds(await whole(mediaFiles.get('sound')!, 'audio'), 2);
  });
});

test('reads a video without a type box', async () => {
  const bytes = await makeMedia(videos['MOV with PCM sound']!);
  assertSeconds(await inPieces(bytes.subarray(bytes.readUInt32BE(0)), 'video', 4_096), 4);
});

test('frames delayed by the encoder do not make a video longer', async () => {
  // x264 reorders frames: the header counts a tenth of a second more than is shown.
  const bytes = await makeMedia({ ...h264Recipe, audioSeconds: 2, format: 'mp4' });
  assertSeconds(await whole(bytes, 'video'), 4);
});

test('an audio track that outlasts the image makes a video longer', async () => {
  const bytes = await makeMedia({ ...h264Recipe, audioSeconds: 7, format: 'mp4' });
  assertSeconds(await whole(bytes, 'video'), 7);
});

test('samples that the edit list skips make a video longer', async () => {
  const mp4 = await makeMedia({ format: 'mp4', video: 'mpeg4', seconds: 4 });
  // In ticks of the track, of which FFmpeg writes 10,240 a second.
  const bytes = withEdits(mp4, [{ seconds: 1, from: 30_720 }]);
  assertSeconds(await whole(bytes, 'video'), 4);
});

test('reads only the header of an hour of audio', async () => {
  const song = await makeMedia(audios['MP3 with a Xing header']!);
  const framesAt = Math.max(song.indexOf('Xing'), song.indexOf('Info')) + 8;
  song.writeUInt32BE(150_000, framesAt);
  assertSeconds(await inPieces(song, 'audio', 4_096), 3_600);
});

test('reports the header’s duration while samples are missing', async () => {
  const song = await makeMedia({ format: 'mp3', audio: 'libmp3lame', seconds: 12 });
  const pieces = [{ start: 0, bytes: song.subarray(0, 70_000) }];
  const measured = await measureDuration({ kind: 'audio', bytesTotal: song.length, pieces });
  assert.equal(measured.outcome, 'needs');
  const result = measured.outcome === 'needs' ? (measured.headerSeconds ?? 0) : 0;
  assert.ok(Math.abs(result - 12) < 0.07, `${result} s`);
});
