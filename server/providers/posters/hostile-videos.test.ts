/**
 * Posters of what is no ordinary video: links, pipes, folders, sparse files, and files that name
 * other files. None is made of another file, none blocks the next poster or stays on the disk.
 * Thorough: waits for the deadline of videos that never end.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { box, typeBox } from '../../../proof/kit/hostile-file.ts';
import { startLocalServer } from '../../../proof/kit/local-server.ts';
import { resultVideoPath } from '../../../proof/kit/result-server.ts';
import { makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { ownNamespaces } from '../../process/sandbox.ts';
import { createLog } from '../../telemetry/log.ts';
import { createPosters } from './posters.ts';

const home = makeTemporaryFolder('hostile-posters');
const tempFolder = join(home, 'downloads');
// A busy machine takes seconds for the next poster, with the start of a process.
const posters = createPosters({ tempFolder, log: createLog('silent'), msMax: 30_000 });
after(async () => {
  await posters.close();
  assert.deepEqual(await readdir(tempFolder), []);
});
const { signal } = new AbortController();
const valid = fileURLToPath(resultVideoPath);
const bytes = await readFile(valid);
const gibibytes = 1024 ** 3;

let files = 0;
async function posterOf(make: (path: string) => Promise<unknown>): Promise<Uint8Array | null> {
  files += 1;
  const path = join(home, `video-${files}`);
  await make(path);
  const poster = await posters.make(path, signal);
  assert(await posters.make(valid, signal), 'the next poster is made');
  return poster?.bytes ?? null;
}

const contentOf = (content: Uint8Array) => (path: string) => writeFile(path, content);
const sparse = (content: Uint8Array, bytesTotal: number) => async (path: string) => {
  await writeFile(path, content);
  await truncate(path, bytesTotal);
};

const skip = !ownNamespaces().hasRoot && 'this machine does not allow mounts';

test('none is made of a file that a link names', { skip }, async () => {
  const secret = join(home, 'video-of-another-account');
  await copyFile(valid, secret);
  assert(await posterOf((path) => link(secret, path)), 'the file itself is a video');
  assert.equal(await posterOf((path) => symlink(secret, path)), null);
  assert.equal(await posterOf((path) => symlink('/etc/passwd', path)), null);
});

test('none is made of a folder or a pipe', { skip: process.platform === 'win32' }, async () => {
  assert.equal(await posterOf((path) => mkdir(path)), null);
  const pipe = async (path: string) => assert.equal(spawnSync('mkfifo', [path]).status, 0);
  assert.equal(await posterOf(pipe), null);
});

test('sparse files of gigabytes are bounded, and one with a video has a poster', async () => {
  assert.equal(await posterOf(sparse(Buffer.alloc(0), 2 * gibibytes)), null);
  assert.equal(await posterOf(sparse(typeBox, 2 * gibibytes)), null);
  // The head of a Matroska file, and of an MP4 whose media data is everything that follows.
  const matroska = Buffer.from('1a45dfa301ffffffffffffff', 'hex');
  assert.equal(await posterOf(sparse(matroska, 2 * gibibytes)), null);
  const media = Buffer.concat([typeBox, Buffer.from('00000000', 'hex'), Buffer.from('mdat')]);
  assert.equal(await posterOf(sparse(media, 2 * gibibytes)), null);
  assert(await posterOf(sparse(bytes, 2 * gibibytes)));
});

test('none is made of other files or URLs that a file names', async (t) => {
  let requests = 0;
  const server = await startLocalServer((_, response) => {
    requests += 1;
    response.end(bytes);
  });
  t.after(() => server.close());
  const url = `${server.origin}/video.mp4`;
  for (const named of [`file://${valid}`, valid, url]) {
    const header = bytes.subarray(0, bytes.indexOf('mdat') - 4);
    const reference = withReference(header, named);
    for (const content of [
      reference,
      Buffer.concat([reference, box('mdat', Buffer.alloc(bytes.length))]),
      Buffer.from(`#EXTM3U\n#EXTINF:1,\n${named}\n#EXT-X-ENDLIST\n`),
      Buffer.from(`ffconcat version 1.0\nfile ${named}\n`),
      Buffer.concat([typeBox, Buffer.from(`#EXTM3U\n#EXTINF:1,\n${named}\n`)]),
      Buffer.from(`<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>${named}</BaseURL></MPD>`),
    ]) {
      assert.equal(await posterOf(contentOf(content)), null, content.toString('latin1', 0, 40));
    }
  }
  assert.equal(requests, 0);
});

/** The header of a video whose frames are in another file, by an alias record of QuickTime. */
function withReference(header: Buffer, path: string): Buffer {
  const text = Buffer.from(path.length % 2 === 0 ? path : `${path}\0`);
  const field = Buffer.alloc(4);
  // An absolute path.
  field.writeUInt16BE(18, 0);
  field.writeUInt16BE(text.length, 2);
  const end = Buffer.from([0xff, 0xff, 0, 0]);
  const alias = box('alis', Buffer.concat([Buffer.alloc(154), field, text, end]));
  const references = Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), alias]);
  return replaceBox(header, ['moov', 'trak', 'mdia', 'minf', 'dinf', 'dref'], references);
}

function replaceBox(bytes: Buffer, [name, ...inside]: string[], content: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let [at, end] = [0, 0]; at < bytes.length; at = end) {
    end = at + bytes.readUInt32BE(at);
    const inner = bytes.subarray(at + 8, end);
    const isNamed = bytes.toString('latin1', at + 4, at + 8) === name;
    const replaced = () => (inside.length === 0 ? content : replaceBox(inner, inside, content));
    parts.push(isNamed ? box(name!, replaced()) : bytes.subarray(at, end));
  }
  return Buffer.concat(parts);
}
