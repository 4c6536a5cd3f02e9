/** Media over real HTTP: what is proven invalid, and what is not. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { imagesOf, jpegOf } from '../../proof/kit/image-headers.ts';
import { noHurry, startMaterialsFixture } from '../../proof/kit/materials-fixture.ts';
import { makeMedia } from '../../proof/kit/media-files.ts';
import { resultFramePath } from '../../proof/kit/result-server.ts';

const recipe = { format: 'mp4', video: 'libx264', audio: 'aac', seconds: 4 } as const;
const videoFile = await makeMedia({ ...recipe, options: { movflags: '+faststart' } });
// Larger than the first read, with its index at the end.
const lateIndex = await makeMedia({
  format: 'mov',
  video: 'mpeg4',
  audio: 'pcm_s16le',
  seconds: 4,
});
const audioFile = await makeMedia({ format: 'mp3', audio: 'libmp3lame', seconds: 4 });
const imageFile = await readFile(resultFramePath);

describe('accepts media however its host sends it', () => {
  const ways = {
    'with ranges': {},
    'without ranges': { ranges: false },
    'in chunks, without a length': { ranges: false, length: false },
    'under a wrong type': { headers: { 'content-type': 'text/html' } },
    'as an attachment': { headers: { 'content-disposition': 'attachment; filename=x.exe' } },
    'saying that it is not encoded': { headers: { 'content-encoding': 'identity' } },
  };
  for (const [way, served] of Object.entries(ways)) {
    test(way, async (t) => {
      const { server, probe } = await startMaterialsFixture(t, noHurry);
      const report = await probe({
        images: [server.serve('image', { bytes: imageFile, ...served })],
        videos: [
          server.serve('video', { bytes: videoFile, ...served }),
          server.serve('late', { bytes: lateIndex, ...served }),
        ],
        audios: [server.serve('song', { bytes: audioFile, ...served })],
      });
      const lengths = { videos: [4, 4], measuredVideos: [4, 4], audios: [4] };
      const expected = { problems: '', unreachable: '', ...lengths, isBusy: false };
      assert.deepEqual(report, expected);
    });
  }
});

describe('names the field and the value of a proven violation', () => {
  test('another kind of media', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, noHurry);
    const page = {
      bytes: Buffer.from('<!doctype html>'),
      headers: { 'content-type': 'image/png' },
    };
    const unknown = {
      bytes: Buffer.alloc(100),
      headers: { 'content-type': 'Application/X-Thing; v=1' },
    };
    const { problems, videos, audios } = await probe({
      images: [server.serve('page', page), server.serve('video', videoFile)],
      videos: [server.serve('song', audioFile), server.serve('image', imageFile)],
      audios: [server.serve('video', videoFile), server.serve('unknown', unknown)],
    });
    const images = 'use JPEG, PNG, WebP, GIF, BMP, HEIC, AVIF, TIFF or JPEG XL';
    const videoFormats = 'use MP4, MOV, WebM or MKV';
    const audioFormats = 'use MP3, WAV, M4A, AAC, OGG or FLAC';
    assert.deepEqual(problems.split(/; (?=input)/), [
      `input.image_urls[0] is not an image we can read: it is text/html; ${images}`,
      `input.image_urls[1] is not an image we can read: it is an MP4 file; ${images}`,
      `input.video_urls[0] is not a video we can read: it is an MP3 file; ${videoFormats}`,
      `input.video_urls[1] is not a video we can read: it is a JPEG image; ${videoFormats}`,
      `input.audio_urls[0] is not an audio file we can read: it is a video; ${audioFormats}`,
      'input.audio_urls[1] is not an audio file we can read: it is application/x-thing; ' +
        audioFormats,
    ]);
    assert.deepEqual({ videos, audios }, { videos: [null, null], audios: [null, null] });
  });

  test('too large, by its headers or by its bytes', async (t) => {
    const mebibyte = 1024 ** 2;
    const sizes = { image: mebibyte, video: mebibyte, audio: mebibyte };
    const { server, probe } = await startMaterialsFixture(t, { ...noHurry, sizes });
    const longer = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(mebibyte)]);
    const { problems } = await probe({
      images: [server.serve('image', longer(imageFile))],
      videos: [server.serve('video', { bytes: longer(videoFile), ranges: false })],
      audios: [server.serve('song', { bytes: longer(audioFile), ranges: false, length: false })],
    });
    assert.deepEqual(problems.split(/; (?=input)/), [
      'input.image_urls[0] is 1.1 MiB; an image must be at most 1 MiB',
      'input.video_urls[0] is 1.1 MiB; a video must be at most 1 MiB',
      'input.audio_urls[0] is over 1 MiB; an audio file must be at most 1 MiB',
    ]);
  });

  test('too many pixels in any format, or too much metadata before them', async (t) => {
    const { server, probe } = await startMaterialsFixture(t, noHurry);
    const images = Object.entries(imagesOf(50_000));
    const far = server.serve('far', jpegOf(8, { metadataBytes: 8 * 1024 ** 2 }));
    const urls = images.map(([name, bytes]) => server.serve(name, bytes));
    const { problems } = await probe({ images: [...urls, far] });
    const messages = problems.split(/; (?=input)/);
    for (const [at, [name]] of images.entries()) {
      const rule = 'is 50000 x 50000 pixels; an image must have at most 48 million pixels';
      assert.equal(messages[at], `input.image_urls[${at}] ${rule}`, name);
    }
    assert.match(messages.at(-1)!, /it is a JPEG image with too much metadata/);
  });
});

test('does not follow a playlist', async (t) => {
  const { server, probe } = await startMaterialsFixture(t, noHurry);
  server.serve('part.ts', videoFile);
  const list = `#EXTM3U\n#EXTINF:5,\n${server.origin}/part.ts\n`;
  const url = server.serve('list.m3u8', Buffer.from(list));
  assert.match((await probe({ videos: [url] })).problems, /it is a playlist/);
  assert.equal(server.requestCount('part.ts'), 0);
});
