/** Content credentials with keys in memory, a signed video, and files that are odd. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, createSigner, keyIdOf } from '../../server/credentials/certificates.ts';
import { createCredentials, type ResultStatement } from '../../server/credentials/credentials.ts';
import { inspect } from '../../server/credentials/inspect.ts';
import { box, type Signer } from '../../server/credentials/manifest.ts';
import type { KnownKey } from '../../server/credentials/read-manifest.ts';
import { createLog } from '../../server/telemetry/log.ts';

const names = { organization: 'videos.example.com', now: new Date() };
const authority = createAuthority(names);
const identity = createSigner(authority, names);
const { key, publicKey, certificate } = identity;

export const authorityPem = new X509Certificate(authority.certificate).toString();
export const signer: Signer = { key, algorithm: 'EdDSA', chain: [certificate] };
const knownKey: KnownKey = {
  publicKey,
  algorithm: 'EdDSA',
  chain: [certificate],
  marks: [
    publicKey.export({ type: 'spki', format: 'der' }).subarray(-32),
    keyIdOf(authority.publicKey),
  ],
};

export const statement: ResultStatement = {
  model: 'vidgen-2-5',
  sourceType: 'trainedAlgorithmicMedia',
  at: new Date('2026-01-02T03:04:05.678Z'),
  taskId: 'task_01kbwq3n7he9rv5t2m8xz4c6da',
  storageKey: 'task_01kbwq3n7he9rv5t2m8xz4c6da/1/video.mp4',
};

/** Null: there is no key. */
export const credentialsWith = (signedBy: Signer | null) =>
  createCredentials({
    keys: { signerOf: () => signedBy ?? assert.fail('there is no key to sign with') },
    installation: names.organization,
    log: createLog('silent'),
  });

/** The bytes arrive in chunks of another size than the buffer that they are written through. */
export async function signBytes(
  folder: string,
  bytes: Buffer,
  {
    signedBy = signer,
    said = statement,
  }: { signedBy?: Signer | null; said?: ResultStatement } = {},
) {
  const video = credentialsWith(signedBy).newVideo(join(folder, 'video.mp4'), said);
  await video.save(chunksOf(bytes, 50_000));
  await video.close();
  const content = await readFile(video.file);
  await rm(video.file);
  return { ...video.saved.state, bytes: content };
}

export const inspectBytes = (
  bytes: Buffer,
  { chunkBytes = 1000, keys = [knownKey] }: { chunkBytes?: number; keys?: KnownKey[] } = {},
) => inspect(chunksOf(bytes, chunkBytes), keys);

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
}

const uint32 = (...values: number[]): Buffer =>
  Buffer.from(values.map((value) => value.toString(16).padStart(8, '0')).join(''), 'hex');

/** Boxes without a picture: the index follows the data, and has these tables. */
export function indexedFile(dataBytes: number, ...tables: Buffer[]): Buffer {
  const ftyp = box('ftyp', Buffer.from('isom\0\0\x02\0isom', 'latin1'));
  const data = box('mdat', Buffer.alloc(dataBytes, 7));
  const table = tables.length > 0 ? tables : [chunkTable(ftyp.length + 8, ftyp.length + 16)];
  const index = ['stbl', 'minf', 'mdia', 'trak', 'moov'].reduce<Buffer>(
    (content, type) => box(type, content),
    Buffer.concat(table),
  );
  return Buffer.concat([ftyp, data, index]);
}

export const chunkTable = (...offsets: number[]): Buffer =>
  box('stco', uint32(0, offsets.length, ...offsets));
