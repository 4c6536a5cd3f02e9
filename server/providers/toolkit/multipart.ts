/**
 * A multipart form that streams its files. Its length is known before the first byte, because some
 * upstreams refuse a body without one.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';

export type FormPart =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string;
      readonly file: string;
      readonly fileName: string;
      readonly contentType: string;
    };

export type Form = {
  readonly contentType: string;
  readonly bytes: number;
  open(): Readable;
};

export async function createForm(parts: readonly FormPart[]): Promise<Form> {
  const boundary = `vidgen-${randomBytes(18).toString('hex')}`;
  const pieces: (Buffer | { readonly file: string; readonly bytes: number })[] = [];
  for (const part of parts) {
    pieces.push(Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`));
    if ('file' in part) pieces.push({ file: part.file, bytes: (await stat(part.file)).size });
    else pieces.push(Buffer.from(part.value));
    pieces.push(Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));

  async function* read(): AsyncGenerator<Buffer> {
    for (const piece of pieces) {
      if (Buffer.isBuffer(piece)) yield piece;
      // Not more than `content-length`, in case the file grows.
      else if (piece.bytes > 0) yield* createReadStream(piece.file, { end: piece.bytes - 1 });
    }
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: pieces.reduce(
      (sum, piece) => sum + (Buffer.isBuffer(piece) ? piece.length : piece.bytes),
      0,
    ),
    open: () => Readable.from(read(), { objectMode: false }),
  };
}

function headOf(part: FormPart): string {
  const name = `content-disposition: form-data; name="${quoted(part.name)}"`;
  if (!('file' in part)) return name;
  const type = part.contentType.replace(/[\r\n]/g, '');
  return `${name}; filename="${quoted(part.fileName)}"\r\ncontent-type: ${type}`;
}

/** Percent-encodes quotes and line breaks, as browsers do. */
const quoted = (text: string): string =>
  text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
