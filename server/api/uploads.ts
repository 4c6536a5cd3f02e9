/**
 * A person's own file as a material: its bytes go to the disk as they come in, are judged by how
 * they begin, and are kept for two days under a signed address that anyone who has it may read.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Upload } from '@vidgen/contract/playground.ts';
import { getAccount } from '../accounts/account.ts';
import { createPlaces } from '../egress/places.ts';
import { save } from '../egress/save.ts';
import type { MaterialSizes } from '../materials/material.ts';
import {
  formatBytes,
  type UploadFormat,
  uploadFormatOf,
  uploadFormats,
} from '../materials/upload-format.ts';
import { Refusal } from '../refusal.ts';
import { fileAnswer } from './results.ts';
import type { Answer, Asked, Service } from './service.ts';

/** At once, of one account: what it may hold is looked at before each. */
const places = createPlaces(4);

export async function postUpload(service: Service, asked: Asked): Promise<Answer> {
  const { lifecycle, uploads } = service;
  const { id: accountId, closedAt } = await getAccount(lifecycle.db, asked.params.id!);
  if (closedAt) throw refused('The account is closed: it takes no uploads.');
  requirePlainBody(service, asked);
  const leave = await places.take(accountId, asked.gone());
  const { scratchFolder } = lifecycle.settings;
  const file = join(scratchFolder, `upload-${randomUUID()}`);
  try {
    await uploads.requireRoom(accountId);
    await mkdir(scratchFolder, { recursive: true });
    const { format, bytes } = await receive(asked, { into: file, sizes: service.materialBytesMax });
    const { extension } = format;
    const { url, expiresAtSeconds } = await uploads.add({ accountId, file, bytes, extension });
    const body: Upload = { url, kind: format.media, bytes, expires_at: expiresAtSeconds };
    return { status: 201, body };
  } finally {
    leave();
    await rm(file, { force: true });
  }
}

/** What the headers tell: before a byte is read. */
function requirePlainBody({ materialBytesMax }: Service, { headers }: Asked): void {
  if (!/^\s*identity\s*$/i.test(String(headers['content-encoding'] ?? 'identity'))) {
    throw refused('The file must be sent as it is, without Content-Encoding.');
  }
  const bytesMax = Math.max(...Object.values(materialBytesMax));
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge('A file', bytesMax);
}

async function receive(
  { body, headers }: Asked,
  { into, sizes }: { readonly into: string; readonly sizes: MaterialSizes },
): Promise<{ format: UploadFormat; bytes: number }> {
  let format: UploadFormat | undefined;
  const judge = (head: Uint8Array): UploadFormat => {
    const found = uploadFormatOf(head, String(headers['content-type'] ?? ''));
    if ('foreign' in found) {
      throw refused(`The file cannot be a material: it is ${found.foreign}; use ${uploadFormats}.`);
    }
    format = found;
    return found;
  };
  const stream = body as Readable;
  const bytes = await save(judged(stream, { judge, sizes }), into).catch((error) => {
    // Whoever is still sending is listened to, or would not hear what was wrong.
    stream.resume();
    throw error;
  });
  if (!format) throw refused('The file is empty.');
  return { format, bytes };
}

/** Passes on what is of a kind we take and not longer than that kind may be. */
async function* judged(
  body: Readable,
  { judge, sizes }: { judge: (head: Uint8Array) => UploadFormat; sizes: MaterialSizes },
): AsyncGenerator<Uint8Array> {
  let head: Buffer | null = Buffer.alloc(0);
  let bytes = 0;
  let bytesMax = Number.POSITIVE_INFINITY;
  let noun = '';
  const begin = (start: Buffer) => {
    const { media } = judge(start);
    [bytesMax, noun] = [sizes[media], nouns[media]];
    head = null;
  };
  for await (const chunk of arriving(body)) {
    bytes += chunk.length;
    let ready: Buffer = chunk;
    if (head) {
      ready = head = Buffer.concat([head, chunk]);
      if (ready.length < formatBytes) continue;
      begin(ready);
    }
    if (bytes > bytesMax) throw tooLarge(noun, bytesMax);
    yield ready;
  }
  if (!head || bytes === 0) return;
  const whole = head;
  begin(whole);
  yield whole;
}

const nouns = { image: 'An image', video: 'A video', audio: 'An audio file' } as const;

/** Who goes away in the middle has not sent a file. */
async function* arriving(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw refused('The file did not arrive whole: send it again.');
  }
}

export async function getUpload(service: Service, asked: Asked): Promise<Answer> {
  const { expires = '', signature = '' } = asked.query;
  const name = asked.params.name!;
  const given = { name, expires: String(expires), signature: String(signature) };
  const found = service.uploads.verify(given);
  const file = found && !found.isExpired ? await service.uploads.open(found) : null;
  if (!file) {
    throw new Refusal('not_found', 'There is no such upload, or its two days are over.');
  }
  const { headers, ...answer } = await fileAnswer(file, { asked, fileName: name });
  // It came from a person: nothing in it may act as a page of ours.
  const policy = { 'content-security-policy': "default-src 'none'; sandbox" };
  return { ...answer, headers: { ...headers, ...policy } };
}

const refused = (message: string): Refusal => new Refusal('invalid_request', message);

const tooLarge = (noun: string, bytesMax: number): Refusal =>
  refused(`${noun} must be at most ${Math.floor(bytesMax / 1024 ** 2)} MiB.`);
