/** Real and hostile media over real HTTP: what is proven wrong, what is not, and that all ends. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import type { HostileFile } from '../../proof/kit/hostile-file.ts';
import { makeHostileMedia } from '../../proof/kit/hostile-media.ts';
import { startMaterialsBench } from '../../proof/kit/materials-bench.ts';
import { makeMedia } from '../../proof/kit/media-files.ts';
import { resultFramePath } from '../../proof/kit/result-server.ts';

let film: Buffer;
let lateIndex: Buffer;
let song: Buffer;
let picture: Buffer;
before(async () => {
  const recipe = { format: 'mp4', video: 'libx264', audio: 'aac', seconds: 4 } as const;
  film = await makeMedia({ ...recipe, options: { movflags: '+faststart' } });
  // Longer than what is read at first, with its index behind everything else.
  lateIndex = await makeMedia({ format: 'mov', video: 'mpeg4', audio: 'pcm_s16le', seconds: 4 });
  song = await makeMedia({ format: 'mp3', audio: 'libmp3lame', seconds: 4 });
  picture = await readFile(resultFramePath);
});

describe('media is taken however its host sends it', () => {
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
      const { server, look } = await startMaterialsBench(t);
      const told = await look({
        images: [server.serve('picture', { bytes: picture, ...served })],
        videos: [
          server.serve('film', { bytes: film, ...served }),
          server.serve('late', { bytes: lateIndex, ...served }),
        ],
        audios: [server.serve('song', { bytes: song, ...served })],
      });
      const expected = { problems: '', notReached: '', videos: [4, 4], audios: [4] };
      assert.deepEqual(told, expected);
    });
  }

  test('behind up to 3 redirects', async (t) => {
    const { server, look } = await startMaterialsBench(t);
    server.serve('hop 0', film);
    const urls = [1, 2, 3, 4].map((hop) =>
      server.serve(`hop ${hop}`, (_request, response) => {
        response.writeHead(302, { location: `/hop%20${hop - 1}` }).end();
      }),
    );
    const told = await look({ videos: urls });
    assert.deepEqual(told.videos, [4, 4, 4, null]);
    assert.match(
      told.notReached,
      /^input\.video_urls\[3\] could not .* redirects more than 3 times/,
    );
  });
});

describe('what is proven wrong is told with its field and its figure', () => {
  test('another kind of media', async (t) => {
    const { server, look } = await startMaterialsBench(t);
    const page = {
      bytes: Buffer.from('<!doctype html>'),
      headers: { 'content-type': 'image/png' },
    };
    const unknown = {
      bytes: Buffer.alloc(100),
      headers: { 'content-type': 'Application/X-Thing; v=1' },
    };
    const { problems, videos, audios } = await look({
      images: [server.serve('page', page), server.serve('film', film)],
      videos: [server.serve('song', song), server.serve('picture', picture)],
      audios: [server.serve('film', film), server.serve('unknown', unknown)],
    });
    const images = 'use JPEG, PNG, WebP, GIF or BMP';
    const films = 'use MP4, MOV, WebM or MKV';
    const sounds = 'use MP3, WAV, M4A, AAC, OGG or FLAC';
    assert.deepEqual(problems.split(/; (?=input)/), [
      `input.image_urls[0] is not an image we can read: it is text/html; ${images}`,
      `input.image_urls[1] is not an image we can read: it is an MP4 file; ${images}`,
      `input.video_urls[0] is not a video we can read: it is an MP3 file; ${films}`,
      `input.video_urls[1] is not a video we can read: it is a JPEG image; ${films}`,
      `input.audio_urls[0] is not an audio file we can read: it is a video; ${sounds}`,
      `input.audio_urls[1] is not an audio file we can read: it is application/x-thing; ${sounds}`,
    ]);
    assert.deepEqual({ videos, audios }, { videos: [null, null], audios: [null, null] });
  });

  test('too large, by what its host says or by what it sends', async (t) => {
    const mebibyte = 1024 ** 2;
    const sizes = { image: mebibyte, video: mebibyte, audio: mebibyte };
    const { server, look } = await startMaterialsBench(t, { sizes });
    const longer = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(mebibyte)]);
    const { problems } = await look({
      images: [server.serve('picture', longer(picture))],
      videos: [server.serve('film', { bytes: longer(film), ranges: false })],
      audios: [server.serve('song', { bytes: longer(song), ranges: false, length: false })],
    });
    assert.deepEqual(problems.split(/; (?=input)/), [
      'input.image_urls[0] is 1.1 MiB; an image must be at most 1 MiB',
      'input.video_urls[0] is 1.1 MiB; a video must be at most 1 MiB',
      'input.audio_urls[0] is over 1 MiB; an audio file must be at most 1 MiB',
    ]);
  });

  test('endless audio is over its limit', async (t) => {
    const { server, look } = await startMaterialsBench(t, {
      sizes: { image: 1, video: 1, audio: 200_000 },
    });
    const url = server.serve('endless', (_request, response) => {
      response.writeHead(200);
      response.write(song);
      const push = () => {
        while (response.write(Buffer.alloc(10_000)));
        response.once('drain', push);
      };
      push();
    });
    const { problems } = await look({ audios: [url] });
    assert.match(problems, /^input\.audio_urls\[0\] is over 0\.2 MiB; an audio file must be/);
  });
});

describe('hostile files cost their time and nothing else', () => {
  let files: readonly HostileFile[];
  before(async () => {
    files = await makeHostileMedia();
    assert.ok(files.length >= 100);
  });

  test('each of them, one after the other', async (t) => {
    const { server, look } = await startMaterialsBench(t);
    for (const [index, { name, kind, bytes, outcome, seconds = 0 }] of files.entries()) {
      const url = server.serve(`file ${index}`, bytes);
      const told = await look({ [`${kind}s`]: [url] }, `account ${index}`);
      const [length] = [...told.videos, ...told.audios];
      const what = `${name}: ${JSON.stringify(told)}`;
      if (outcome === 'refused')
        assert.match(told.problems, /is not an? .* we can read: it /, what);
      if (outcome === 'measured') assert.ok(Math.abs((length ?? 0) - seconds) <= 0.1, what);
      if (outcome === 'taken') assert.equal(told.problems + told.notReached, '', what);
      if (outcome === 'undecodable') assert.equal(told.problems, '', what);
    }
    const good = await look({ videos: [server.serve('film', film)] });
    assert.deepEqual(good.videos, [4], 'and the next good one is read');
  });

  test('all of them at once, beside a good one of somebody else', async (t) => {
    const { server, look } = await startMaterialsBench(t, { lookMs: 2_000 });
    const urlsOf = (wanted: string) =>
      files.flatMap(({ kind, bytes }, index) =>
        kind === wanted ? [server.serve(`file ${index}`, bytes)] : [],
      );
    const attack = look(
      { images: urlsOf('image'), videos: urlsOf('video'), audios: urlsOf('audio') },
      'hostile',
    );
    const good = await look({ videos: [server.serve('film', film)] }, 'honest');
    assert.deepEqual(good.problems, '');
    const { problems } = await attack;
    assert.match(problems, /an SVG drawing/);
  });

  test('a playlist is not followed', async (t) => {
    const { server, look } = await startMaterialsBench(t);
    server.serve('part.ts', film);
    const list = `#EXTM3U\n#EXTINF:5,\n${server.origin}/part.ts\n`;
    const url = server.serve('list.m3u8', Buffer.from(list));
    assert.match((await look({ videos: [url] })).problems, /it is a playlist/);
    assert.equal(server.asked('part.ts'), 0);
  });
});
