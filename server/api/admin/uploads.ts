/**
 * A person's own file as a material: its bytes go to the disk as they come in, are judged by how
 * they begin, and are kept for two days under a signed address that anyone who has it may read.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Upload } from '@vidgen/contract/playground.ts';
import { getAccount } from '../../accounts/account.ts';
import { ApiError } from '../../api-error.ts';
import { createKeyedSemaphore } from '../../egress/keyed-semaphore.ts';
import { saveStream } from '../../egress/save-stream.ts';
import type { MaterialSizeLimits } from '../../materials/material.ts';
import {
  formatBytes,
  type UploadFormat,
  uploadFormatOf,
  uploadFormats,
} from '../../materials/upload-format.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { fileResponse } from '../pages/results.ts';

/** At once, of one account: what it may hold is looked at before each. */
const uploadSlots = createKeyedSemaphore(4);

export async function postUpload(services: ApiServices, request: ApiRequest): Promise<ApiResponse> {
  const { lifecycle, uploads } = services;
  const { id: accountId, closedAt } = await getAccount(lifecycle.db, request.params.id!);
  if (closedAt) throw invalidUpload('The account is closed: it takes no uploads.');
  requireUncompressedBody(services, request);
  const release = await uploadSlots.acquire(accountId, request.abortSignal());
  const { tempFolder } = lifecycle.settings;
  const file = join(tempFolder, `upload-${randomUUID()}`);
  try {
    await uploads.requireUploadQuota(accountId);
    await mkdir(tempFolder, { recursive: true });
    const { format, bytes } = await receiveFile(request, {
      into: file,
      sizes: services.materialBytesMax,
    });
    const { extension } = format;
    const { url, expiresAtSeconds } = await uploads.add({ accountId, file, bytes, extension });
    const body: Upload = { url, kind: format.media, bytes, expires_at: expiresAtSeconds };
    return { status: 201, body };
  } finally {
    release();
    await rm(file, { force: true });
  }
}

/** What the headers tell: before a byte is read. */
function requireUncompressedBody({ materialBytesMax }: ApiServices, { headers }: ApiRequest): void {
  if (!/^\s*identity\s*$/i.test(String(headers['content-encoding'] ?? 'identity'))) {
    throw invalidUpload('The file must be sent as it is, without Content-Encoding.');
  }
  const bytesMax = Math.max(...Object.values(materialBytesMax));
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge('A file', bytesMax);
}

async function receiveFile(
  { body, headers }: ApiRequest,
  { into, sizes }: { readonly into: string; readonly sizes: MaterialSizeLimits },
): Promise<{ format: UploadFormat; bytes: number }> {
  let format: UploadFormat | undefined;
  const detectFormat = (head: Uint8Array): UploadFormat => {
    const found = uploadFormatOf(head, String(headers['content-type'] ?? ''));
    if ('foreign' in found) {
      throw invalidUpload(
        `The file cannot be a material: it is ${found.foreign}; use ${uploadFormats}.`,
      );
    }
    format = found;
    return found;
  };
  const stream = body as Readable;
  const bytes = await saveStream(checkedChunks(stream, { detectFormat, sizes }), into).catch(
    (error) => {
      // Whoever is still sending is listened to, or would not hear what was wrong.
      stream.resume();
      throw error;
    },
  );
  if (!format) throw invalidUpload('The file is empty.');
  return { format, bytes };
}

/** Passes on what is of a kind we take and not longer than that kind may be. */
async function* checkedChunks(
  body: Readable,
  {
    detectFormat,
    sizes,
  }: { detectFormat: (head: Uint8Array) => UploadFormat; sizes: MaterialSizeLimits },
): AsyncGenerator<Uint8Array> {
  let head: Buffer | null = Buffer.alloc(0);
  let bytes = 0;
  let bytesMax = Number.POSITIVE_INFINITY;
  let label = '';
  const applyFormat = (start: Buffer) => {
    const { media } = detectFormat(start);
    [bytesMax, label] = [sizes[media], mediaLabels[media]];
    head = null;
  };
  for await (const chunk of readChunks(body)) {
    bytes += chunk.length;
    let ready: Buffer = chunk;
    if (head) {
      ready = head = Buffer.concat([head, chunk]);
      if (ready.length < formatBytes) continue;
      applyFormat(ready);
    }
    if (bytes > bytesMax) throw tooLarge(label, bytesMax);
    yield ready;
  }
  if (!head || bytes === 0) return;
  const whole = head;
  applyFormat(whole);
  yield whole;
}

const mediaLabels = { image: 'An image', video: 'A video', audio: 'An audio file' } as const;

/** Who goes away in the middle has not sent a file. */
async function* readChunks(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw invalidUpload('The file did not arrive whole: send it again.');
  }
}

export async function getUpload(services: ApiServices, request: ApiRequest): Promise<ApiResponse> {
  const { expires = '', signature = '' } = request.query;
  const name = request.params.name!;
  const signedUrl = { name, expires: String(expires), signature: String(signature) };
  const found = services.uploads.verify(signedUrl);
  const file = found && !found.isExpired ? await services.uploads.open(found) : null;
  if (!file) {
    throw new ApiError('not_found', 'There is no such upload, or its two days are over.');
  }
  const { headers, ...response } = await fileResponse(file, { request, fileName: name });
  // It came from a person: nothing in it may act as a page of ours.
  const policy = { 'content-security-policy': "default-src 'none'; sandbox" };
  return { ...response, headers: { ...headers, ...policy } };
}

const invalidUpload = (message: string): ApiError => new ApiError('invalid_request', message);

const tooLarge = (label: string, bytesMax: number): ApiError =>
  invalidUpload(`${label} must be at most ${Math.floor(bytesMax / 1024 ** 2)} MiB.`);
