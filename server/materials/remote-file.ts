/**
 * A file at a customer's URL, read in pieces and only as far as needed: by ranges if the server
 * supports them, otherwise from the start. Every byte is acquired from a budget before it is read,
 * and later responses must be consistent with the first. Throws `UnreachableError` or
 * `EgressFailure`.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Egress, GetResult } from '../egress/egress.ts';
import type { Piece, Span } from './media-duration.ts';
import { UnreachableError } from './unreachable.ts';

/**
 * Enough for the header of any image, the leading index of a short video, or an MP3's tag and 64
 * KiB.
 */
export const firstBytesMax = 80 * 1024;
/**
 * Each further piece is this many times larger, so that a file read to its end takes few requests.
 */
const growth = 4;
const pieceBytesMax = 4 * 1024 ** 2;
/** The most that a socket returns at once. */
const chunkBytesMax = 64 * 1024;

type RemoteFileOptions = {
  readonly egress: Egress;
  readonly url: string;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly budget: ByteBudget;
  /** Limit for the whole file; a longer one is not read further. */
  readonly bytesMax: number;
};

type FileResponse = Extract<GetResult, { outcome: 'response' }>;

export async function openRemoteFile(options: RemoteFileOptions): Promise<RemoteFile> {
  if (!options.budget.acquire(firstBytesMax)) throw new UnreachableError('budget');
  const response = await requestRange(options, { url: options.url, start: 0, end: firstBytesMax });
  try {
    const file = new RemoteFile(options, response);
    await file.open();
    return file;
  } catch (error) {
    response.discard();
    throw error;
  }
}

export class RemoteFile {
  readonly contentType: string | null;
  /** Identifies the version of the file, as far as the server's headers allow. */
  fingerprint: string | null = null;
  /** Size of the whole file; null until the server reports it. */
  bytesTotal: number | null = null;
  readonly #options: RemoteFileOptions;
  readonly #response: FileResponse;
  readonly #pieces: Piece[] = [];
  /** The rest of a response without ranges; null if the server supports ranges. */
  #rest: AsyncIterator<Uint8Array> | null = null;
  #nextBytes = firstBytesMax * growth;

  constructor(options: RemoteFileOptions, response: FileResponse) {
    this.#options = options;
    this.#response = response;
    this.contentType = response.headers['content-type'] ?? null;
  }

  /** The bytes read so far, in order; without gaps if the server has no ranges. */
  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  get first(): Uint8Array {
    return this.#pieces[0]?.bytes ?? new Uint8Array(0);
  }

  async open(): Promise<void> {
    const { status, headers, stream } = this.#response;
    const { budget } = this.#options;
    if (status === 206) {
      const range = rangeOf(headers);
      if (range?.start !== 0 || range.end > firstBytesMax)
        throw new UnreachableError('inconsistent');
      this.bytesTotal = range.total;
      const bytes = await readAll(this.#response, range.end);
      budget.release(firstBytesMax - bytes.length);
      this.#addPiece({ start: 0, bytes });
    } else {
      this.bytesTotal = lengthOf(headers);
      this.#rest = stream[Symbol.asyncIterator]();
      budget.release(firstBytesMax);
      await this.#readUntil(this.#rest, firstBytesMax);
    }
    this.fingerprint =
      headers.etag ?? (this.bytesTotal === null ? null : `${this.bytesTotal} bytes`);
  }

  /** Reads at least one more byte of the span into the pieces. */
  async read({ start, end }: Span): Promise<void> {
    const from = this.#knownUntil(start);
    const total = this.bytesTotal ?? end;
    const needed = Math.min(total, end) - from;
    if (needed <= 0) throw new UnreachableError('inconsistent');
    const wanted = Math.min(total - from, Math.max(needed, this.#nextBytes));
    this.#nextBytes = Math.min(this.#nextBytes * growth, pieceBytesMax);
    if (this.#rest) return await this.#readUntil(this.#rest, from + wanted);
    const { budget } = this.#options;
    const bytes = [wanted, needed].find((amount) => budget.acquire(amount));
    if (bytes === undefined) throw new UnreachableError('budget');
    const piece = await this.#readRange({ start: from, end: from + bytes });
    budget.release(bytes - piece.bytes.length);
    this.#addPiece(piece);
  }

  /** Reads to the end of a file of unknown length, or one byte past `bytesMax`. */
  async readWhole(): Promise<void> {
    if (!this.#rest) throw new UnreachableError('inconsistent');
    await this.#readUntil(this.#rest, this.#options.bytesMax + 1);
  }

  close(): void {
    this.#response.discard();
  }

  async #readRange({ start, end }: Span): Promise<Piece> {
    const response = await requestRange(this.#options, { url: this.#response.url, start, end });
    try {
      const range = rangeOf(response.headers);
      const isSame = response.headers.etag === this.#response.headers.etag;
      const isRequestedRange = range?.start === start && range.end <= end;
      if (
        response.status !== 206 ||
        !isRequestedRange ||
        !isSame ||
        range.total !== this.bytesTotal
      ) {
        throw new UnreachableError('inconsistent');
      }
      const bytes = await readAll(response, range.end - start);
      if (bytes.length === 0) throw new UnreachableError('inconsistent');
      return { start, bytes };
    } finally {
      response.discard();
    }
  }

  async #readUntil(rest: AsyncIterator<Uint8Array>, until: number): Promise<void> {
    const { budget } = this.#options;
    const chunks = [this.first];
    let length = this.first.length;
    while (length < until) {
      if (!budget.acquire(chunkBytesMax)) throw new UnreachableError('budget');
      const { done, value } = await rest.next();
      const bytes = done ? 0 : value.length;
      budget.release(chunkBytesMax - bytes);
      if (done) {
        this.bytesTotal = length;
        break;
      }
      chunks.push(value);
      length += bytes;
    }
    this.#pieces.splice(0, 1, { start: 0, bytes: Buffer.concat(chunks) });
  }

  #addPiece(piece: Piece): void {
    this.#pieces.push(piece);
    this.#pieces.sort((one, other) => one.start - other.start);
  }

  /** The end of the contiguous known bytes from `start`. */
  #knownUntil(start: number): number {
    let known = start;
    for (const piece of this.#pieces) {
      const end = piece.start + piece.bytes.length;
      if (piece.start <= known && known < end) known = end;
    }
    return known;
  }
}

async function requestRange(
  { egress, signal, deadlineMs, bytesMax }: RemoteFileOptions,
  { url, start, end }: Span & { readonly url: string },
): Promise<FileResponse> {
  const response = await egress.get({
    url,
    kind: 'material',
    headers: { range: `bytes=${start}-${end - 1}` },
    deadlineMs,
    bytesMax: bytesMax + chunkBytesMax,
    signal,
  });
  if (response.outcome === 'failed') {
    throw new UnreachableError(response.error === 'too_large' ? 'budget' : response.error);
  }
  const { status, headers } = response;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (status >= 200 && status <= 299 && encoding.toLowerCase() === 'identity') return response;
  response.discard();
  throw new UnreachableError(status >= 200 && status <= 299 ? 'encoded' : `status ${status}`);
}

/** Cuts a response that sends more than it announced. */
async function readAll(response: FileResponse, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let remaining = bytesMax;
  for await (const chunk of response.stream) {
    chunks.push(chunk.subarray(0, remaining));
    remaining -= Math.min(remaining, chunk.length);
    if (remaining === 0) break;
  }
  response.discard();
  return Buffer.concat(chunks);
}

function rangeOf(headers: IncomingHttpHeaders): (Span & { readonly total: number | null }) | null {
  const found = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(
    headers['content-range'] ?? '',
  );
  if (!found) return null;
  const start = Number(found[1]);
  const end = Number(found[2]) + 1;
  const total = found[3] === '*' ? null : Number(found[3]);
  return end > start && (total === null || end <= total) ? { start, end, total } : null;
}

function lengthOf(headers: IncomingHttpHeaders): number | null {
  const length = headers['content-length'];
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

export type ByteBudget = {
  /** Acquires all of the bytes or none. */
  acquire(bytes: number): boolean;
  /** Returns bytes that were acquired and not read. */
  release(bytes: number): void;
  /** Returns everything still acquired to the parent budget. */
  close(): void;
};

export function createByteBudget(bytesMax: number, parent?: ByteBudget): ByteBudget {
  let acquired = 0;
  return {
    acquire(bytes) {
      if (acquired + bytes > bytesMax || parent?.acquire(bytes) === false) return false;
      acquired += bytes;
      return true;
    },
    release(bytes) {
      acquired -= bytes;
      parent?.release(bytes);
    },
    close() {
      parent?.release(acquired);
      acquired = 0;
    },
  };
}
