/**
 * Receives one file of a request into a temporary file: its format is detected from the first
 * bytes, and a file of another kind or above the limit of its kind is rejected before the rest of
 * it is read. A failure leaves no file behind.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { saveStream } from '../../egress/save-stream.ts';
import {
  formatBytes,
  type UploadFormat,
  uploadFormatOf,
  uploadFormats,
} from '../../materials/file-type.ts';
import type { MaterialSizeLimits } from '../../materials/material.ts';
import { monotonicMs, startTimer } from '../../process/clock.ts';
import type { HeldBody } from '../http/request-body.ts';

/** What is wrong with a file. `rule` follows the name of its field in a message. */
export class FileError extends ApiError {
  readonly rule: string;

  constructor(message: string, rule: string) {
    super('invalid_request', message);
    this.rule = rule;
  }
}

export type ReceivedFile = {
  readonly format: UploadFormat;
  readonly bytes: number;
  /** SHA-256 of the content, in hex. */
  readonly digest: string;
};

type FileLimits = { readonly contentType: string; readonly sizes: MaterialSizeLimits };

export async function receiveFile(
  chunks: AsyncIterable<Buffer>,
  { into, ...limits }: FileLimits & { readonly into: string },
): Promise<ReceivedFile> {
  const hash = createHash('sha256');
  let format: UploadFormat | undefined;
  const onFormat = (found: UploadFormat) => {
    format = found;
  };
  const checked = checkedChunks(chunks, { ...limits, onFormat });
  const hashed = async function* () {
    for await (const chunk of checked) {
      hash.update(chunk);
      yield chunk;
      releaseChunk(chunk);
    }
  };
  const bytes = await saveStream(hashed(), into);
  if (!format) throw new FileError('The file is empty.', 'must not be empty');
  return { format, bytes, digest: hash.digest('hex') };
}

/**
 * Frees the memory of a chunk that is no longer used and shares it with no other. V8 would collect
 * it only after 64 MiB of them, because it sees small objects.
 */
export function releaseChunk({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Passes the file on, and throws on an unknown format or a file that is too large for it. */
async function* checkedChunks(
  chunks: AsyncIterable<Buffer>,
  {
    contentType,
    sizes,
    onFormat,
  }: FileLimits & { readonly onFormat: (format: UploadFormat) => void },
): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  let bytes = 0;
  let bytesMax = Number.POSITIVE_INFINITY;
  let label = '';
  const applyFormat = (start: Buffer) => {
    const format = detectFormat(start, contentType);
    onFormat(format);
    [bytesMax, label] = [sizes[format.media], mediaLabels[format.media]];
    head = null;
  };
  for await (const chunk of chunks) {
    bytes += chunk.length;
    let ready: Buffer = chunk;
    if (head) {
      ready = head = Buffer.concat([head, chunk]);
      if (ready.length < formatBytes) continue;
      applyFormat(ready);
    }
    if (bytes > bytesMax) throw fileTooLarge(label, bytesMax);
    yield ready;
  }
  if (!head || bytes === 0) return;
  const whole = head;
  applyFormat(whole);
  yield whole;
}

function detectFormat(head: Uint8Array, contentType: string): UploadFormat {
  const found = uploadFormatOf(head, contentType);
  if (!('foreign' in found)) return found;
  const reason = `(it is ${found.foreign}); use ${uploadFormats}`;
  throw new FileError(`Unsupported file type ${reason}.`, `is not a supported file ${reason}`);
}

const mediaLabels = { image: 'An image', video: 'A video', audio: 'An audio file' } as const;

/** Slower than any connection on which a file of some megabytes arrives in ten minutes. */
export const uploadRate = { bytesPerSecondMin: 8 * 1024, stallMsMax: 20_000 };

/**
 * The chunks of a body. Throws an API error if the client disconnects before the end, sends too
 * slowly for too long, or the body is given up. Node's own iterator copies chunks together when
 * several have arrived, and leaves the originals behind.
 */
export async function* readChunks(
  body: Readable,
  { held, rate = uploadRate }: { readonly held?: HeldBody; readonly rate?: typeof uploadRate } = {},
): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = [];
  let isEnded = body.readableEnded;
  let failure: ApiError | undefined = body.destroyed ? interrupted() : undefined;
  let wake = () => {};
  let waitMsLeft = rate.stallMsMax;
  let earnedMs = 0;
  const onData = (chunk: Buffer) => {
    body.pause();
    chunks.push(chunk);
    earnedMs += (chunk.length / rate.bytesPerSecondMin) * 1000;
    wake();
  };
  const onEnd = () => {
    isEnded = true;
    wake();
  };
  const fail = (error: ApiError) => {
    failure ??= error;
    wake();
  };
  const onClose = () => fail(interrupted());
  held?.whenGivenUp(fail);
  body.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
  try {
    for (;;) {
      const chunk = chunks.shift();
      if (chunk) yield chunk;
      else if (isEnded) return;
      else if (failure) throw failure;
      else {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const startedMs = monotonicMs();
        // Only the time in which the client could send counts.
        const timer = startTimer(waitMsLeft, () => fail(tooSlow()));
        body.resume();
        await woken;
        timer.stop();
        const waitedMs = monotonicMs() - startedMs;
        waitMsLeft = Math.min(rate.stallMsMax, waitMsLeft - waitedMs + earnedMs);
        earnedMs = 0;
      }
    }
  } finally {
    body.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
  }
}

const tooSlow = (): ApiError =>
  invalidRequest('The body arrives too slowly; send at least 8 KiB per second.');

export const interrupted = (): ApiError =>
  invalidRequest('The upload was interrupted; send the file again.');

export function fileTooLarge(label: string, bytesMax: number): FileError {
  const limit = `must be at most ${Math.floor(bytesMax / 1024 ** 2)} MiB`;
  return new FileError(`${label} ${limit}.`, `${limit} (${label.toLowerCase()})`);
}
