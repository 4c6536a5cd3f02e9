/**
 * Stores a person's file, to be used as a material. The bytes are streamed to disk, the format is
 * detected from the first ones, and the file is kept for two days under a signed URL.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Upload } from '@vidgen/contract/playground.ts';
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
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { createdAt } from '../http/samples.ts';
import { accountClosed } from './account-response.ts';

/** Concurrent uploads per account: the quota is checked before each. */
const uploadSlots = createKeyedSemaphore(4);

const sampleUrl =
  'https://videos.example.com/uploads/9f86d081884c7d65-2c26b46b68ffc68ff99b453c1d304134.png' +
  '?expires=1767441600&signature=Jx3…';

export const uploadFile = endpoint({
  operationId: 'uploadFile',
  method: 'POST',
  path: '/admin/accounts/:id/uploads',
  summary: 'Upload a file to use as a material',
  description:
    'The body is the file itself, as large as a material of its kind may be. What it is, is told ' +
    'by its first bytes. It is kept for 48 hours; an account may hold 2 GiB.',
  auth: 'member',
  role: 'developer',
  bodyType: 'application/octet-stream',
  rawBody: true,
  streamBody: true,
  responses: {
    201: {
      description: 'The address to use as a material.',
      schema: Upload,
      examples: {
        picture: [
          'A picture',
          { url: sampleUrl, kind: 'image', bytes: 184_320, expires_at: createdAt + 172_800 },
        ],
      },
    },
  },
  errors: { invalid_request: 'An image must be at most 30 MiB.' },
  async handler(services, request) {
    const { lifecycle, uploads } = services;
    const { id: accountId, closedAt } = await getAccount(lifecycle.db, request.params.id!);
    if (closedAt) throw accountClosed('The account is closed; files cannot be uploaded.');
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
      // The file may have taken ten minutes to arrive.
      await request.reauthorize(lifecycle.db, { lock: false });
      const { extension } = format;
      const { url, expiresAtSeconds } = await uploads.add({ accountId, file, bytes, extension });
      const body: Upload = { url, kind: format.media, bytes, expires_at: expiresAtSeconds };
      return { status: 201, body };
    } finally {
      release();
      await rm(file, { force: true });
    }
  },
});

/** Checks the headers before the body is read. */
function requireUncompressedBody({ materialBytesMax }: ApiServices, { headers }: ApiRequest): void {
  if (!/^\s*identity\s*$/i.test(String(headers['content-encoding'] ?? 'identity'))) {
    throw invalidUpload('The file must be sent without Content-Encoding.');
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
      throw invalidUpload(`Unsupported file type (it is ${found.foreign}); use ${uploadFormats}.`);
    }
    format = found;
    return found;
  };
  const stream = body as Readable;
  const bytes = await saveStream(checkedChunks(stream, { detectFormat, sizes }), into).catch(
    (error) => {
      // Drains the rest: a client that is still sending would not read the error response.
      stream.resume();
      throw error;
    },
  );
  if (!format) throw invalidUpload('The file is empty.');
  return { format, bytes };
}

/** Passes the body on, and throws on an unknown format or a file that is too large for it. */
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

/** Throws an API error when the client disconnects before the end of the body. */
async function* readChunks(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw invalidUpload('The upload was interrupted; send the file again.');
  }
}

const invalidUpload = (message: string): ApiError => new ApiError('invalid_request', message);

const tooLarge = (label: string, bytesMax: number): ApiError =>
  invalidUpload(`${label} must be at most ${Math.floor(bytesMax / 1024 ** 2)} MiB.`);
