/**
 * Decodes the rest of a JSON string as base64, chunk by chunk, up to its closing quote. Escapes
 * that JSON encoders write in base64 (`\/`, `\u002B`) and escaped line breaks are understood.
 */
import type { ByteSource } from './byte-source.ts';
import { FileError } from './receive-file.ts';

const quote = 0x22;

/** Throws an API error for anything but base64, with or without padding. */
export async function* base64Chunks(source: ByteSource): AsyncGenerator<Buffer> {
  /** The start of an escape at the end of a chunk, and characters of an incomplete group. */
  let [escapeStart, group] = ['', ''];
  for (;;) {
    if (!(await source.hasMore())) throw notBase64();
    const { chunk, at } = source;
    const quoteAt = chunk.indexOf(quote, at);
    const end = quoteAt === -1 ? chunk.length : quoteAt;
    const raw = escapeStart + chunk.toString('latin1', at, end);
    source.at = quoteAt === -1 ? end : end + 1;
    let text: string;
    [text, escapeStart] = unescapeJson(raw);
    const characters = group + text;
    const isLast = quoteAt !== -1;
    const usable = isLast ? characters.length : characters.length - (characters.length % 4);
    group = characters.slice(usable);
    if (usable > 0) yield decode(characters.slice(0, usable), { isLast });
    if (!isLast) continue;
    if (escapeStart !== '') throw notBase64();
    return;
  }
}

const escapes = /\\(?:([/nrt])|u([0-9a-fA-F]{4}))/g;
const escapeStartMax = 5;

/** Returns the text, and the start of an escape that the next chunk may complete. */
function unescapeJson(raw: string): [text: string, escapeStart: string] {
  if (!raw.includes('\\')) return [raw, ''];
  const text = raw.replace(escapes, (_, letter?: string, code?: string) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return letter === '/' ? '/' : '';
  });
  const at = text.indexOf('\\');
  if (at === -1) return [text, ''];
  if (text.length - at > escapeStartMax) throw notBase64();
  return [text.slice(0, at), text.slice(at)];
}

/** Node skips characters that are not base64, which makes the result too short. */
function decode(characters: string, { isLast }: { readonly isLast: boolean }): Buffer {
  const unpadded = characters.replace(/={1,2}$/, '');
  if (unpadded.length < characters.length && (characters.length % 4 !== 0 || !isLast)) {
    throw notBase64();
  }
  const bytes = Buffer.from(unpadded, 'base64');
  if (unpadded.length % 4 === 1 || bytes.length !== Math.floor((unpadded.length * 3) / 4)) {
    throw notBase64();
  }
  return bytes;
}

const notBase64 = (): FileError =>
  new FileError('The data URI is not valid base64.', 'is not valid base64');
