/**
 * Decodes the base64 of a data URI chunk by chunk, in a JSON string or in a text field of a form.
 * Anything but base64, with or without padding, is an API error.
 */
import type { ByteSource } from './byte-source.ts';
import { FileError } from './receive-file.ts';

const quote = 0x22;

/** Reads up to the closing quote of the string. */
export const base64InJson = (source: ByteSource): AsyncGenerator<Buffer> =>
  decodeTexts(textsInJson(source));

/** Reads up to the end of the field. */
export const base64InForm = (source: ByteSource): AsyncGenerator<Buffer> =>
  decodeTexts(textsInForm(source));

async function* decodeTexts(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let group = '';
  for await (const text of texts) {
    const characters = group + text;
    // The last group waits for the next text: only the last one of all may be padded.
    const usable = 4 * Math.floor(Math.max(0, characters.length - 1) / 4);
    group = characters.slice(usable);
    if (usable > 0) yield decode(characters.slice(0, usable), { isLast: false });
  }
  if (group !== '') yield decode(group, { isLast: true });
}

/** Escapes that JSON encoders write in base64 (`\/`, `\u002B`) and line breaks are understood. */
async function* textsInJson(source: ByteSource): AsyncGenerator<string> {
  let escapeStart = '';
  for (;;) {
    if (!(await source.hasMore())) throw notBase64();
    const { chunk, at } = source;
    const quoteAt = chunk.indexOf(quote, at);
    const end = quoteAt === -1 ? chunk.length : quoteAt;
    let text: string;
    [text, escapeStart] = unescapeJson(escapeStart + chunk.toString('latin1', at, end));
    source.at = quoteAt === -1 ? end : end + 1;
    yield text;
    if (quoteAt === -1) continue;
    if (escapeStart !== '') throw notBase64();
    return;
  }
}

async function* textsInForm(source: ByteSource): AsyncGenerator<string> {
  while (await source.hasMore()) {
    const text = source.chunk.toString('latin1', source.at);
    source.at = source.chunk.length;
    yield text.replaceAll(/[\r\n]/g, '');
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
