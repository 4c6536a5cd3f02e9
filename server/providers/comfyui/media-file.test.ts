/** What a file is by its first bytes: every format of our contract, and nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MaterialKind } from '@vidgen/renderer/render-job.ts';
import { readMediaFile } from './media-file.ts';

test('names a file by what it is', () => {
  const table: readonly (readonly [MaterialKind, string, string | null])[] = [
    ['image', '\x89PNG\r\n\x1a\n', 'png'],
    ['video', '\0\0\0\x18ftypmp42', 'mp4'],
    ['video', '\0\0\0\x14ftypqt  ', 'mov'],
    ['video', '\0\0\x01\0moov', 'mov'],
    ['video', '\x1a\x45\xdf\xa3....B\x82\x84webm', 'webm'],
    ['video', '\x1a\x45\xdf\xa3....B\x82\x88matroska', 'mkv'],
    ['audio', 'RIFF....WAVEfmt ', 'wav'],
    ['audio', 'ID3\x04', 'mp3'],
    ['audio', '\xff\xfb\x90', 'mp3'],
    ['audio', '\xff\xf1\x50', 'aac'],
    ['audio', 'fLaC', 'flac'],
    ['audio', 'OggS', 'ogg'],
    ['audio', '\0\0\0\x18ftypM4A ', 'm4a'],
    ['image', '<html>', null],
    ['video', '\x89PNG\r\n\x1a\n', null],
    ['video', 'RIFF....WAVE', null],
    ['audio', '#!/bin/sh', null],
    ['audio', '', null],
  ];
  for (const [kind, head, extension] of table) {
    const read = readMediaFile(Buffer.from(head, 'latin1'), kind);
    assert.equal(read?.extension ?? null, extension, `${kind} ${JSON.stringify(head)}`);
  }
});
