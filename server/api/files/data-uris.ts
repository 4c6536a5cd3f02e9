/**
 * Replaces the base64 data URIs in a JSON body by URLs while the body arrives: their content is
 * passed on as a stream, and only the other text is kept in memory.
 */
import { formatPath } from '@vidgen/contract/format-value.ts';
import { base64Chunks } from './base64-chunks.ts';
import { type ByteSource, createByteSource } from './byte-source.ts';
import type { NamedFile } from './form-body.ts';

/** Longer than the start of any data URI, up to the comma. */
const headBytesMax = 300;
const headStart = '"data:';
const headPattern = /^"data:((?:[^",\\]|\\\/)*);base64,/;
/** Fields whose text is never a URL. */
const textFields = /^(?:prompt|text|metadata)$/;

const [quote, backslash] = [0x22, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [comma, colon] = [0x2c, 0x3a];

/** Deeper values are not looked at: no API has a material there. */
const depthMax = 32;

type Container = {
  readonly isObject: boolean;
  /** Whether it is inside a text field, and whether its value that is being read is. */
  readonly isInText: boolean;
  isText: boolean;
  name: string | number;
};

type ReplaceOptions = {
  /** Returns the URL that replaces the data URI. */
  readonly onFile: (file: NamedFile) => Promise<string>;
  /** Gets all text that stays. Throws if it is too long. */
  readonly keep: (text: Buffer) => void;
};

/** Invalid JSON is passed on as it is, for the JSON parser to name the mistake. */
export async function replaceDataUris(
  chunks: AsyncIterable<Buffer>,
  options: ReplaceOptions,
): Promise<void> {
  const source = createByteSource(chunks);
  const position = createPosition();
  try {
    while (await source.hasMore()) {
      const { chunk, at } = source;
      const quoteAt = chunk.indexOf(quote, at);
      source.at = quoteAt === -1 ? chunk.length : quoteAt;
      const text = chunk.subarray(at, source.at);
      for (const byte of text) position.follow(byte);
      options.keep(text);
      if (quoteAt !== -1) await replaceString(source, position, options);
    }
  } finally {
    await source.close();
  }
}

async function replaceString(
  source: ByteSource,
  position: Position,
  { onFile, keep }: ReplaceOptions,
): Promise<void> {
  const head = position.mayHaveFile() ? await readHead(source) : null;
  if (!head) {
    const name = await keepString(source, { keep, isName: position.expectsName() });
    if (name !== null) position.enter(name);
    return;
  }
  source.at += head[0].length;
  const contentType = head[1]!.replaceAll('\\/', '/');
  const field = formatPath(position.path());
  const url = await onFile({ chunks: base64Chunks(source), contentType, field });
  keep(Buffer.from(JSON.stringify(url)));
}

/** The start of a base64 data URI up to its content, or null for any other string. */
async function readHead(source: ByteSource): Promise<RegExpExecArray | null> {
  await source.readAhead(headBytesMax);
  const { chunk, at } = source;
  if (chunk.toString('latin1', at, at + headStart.length) !== headStart) return null;
  return headPattern.exec(chunk.toString('latin1', at, at + headBytesMax));
}

/** Keeps a string from its opening to its closing quote; returns its text if it is a name. */
async function keepString(
  source: ByteSource,
  { keep, isName }: Pick<ReplaceOptions, 'keep'> & { readonly isName: boolean },
): Promise<string | null> {
  const pieces: Buffer[] = [];
  let [isOpen, isEscaped] = [false, false];
  while (await source.hasMore()) {
    const { chunk, at } = source;
    let end = at;
    let isClosed = false;
    while (end < chunk.length && !isClosed) {
      const byte = chunk[end];
      isClosed = isOpen && byte === quote && !isEscaped;
      isEscaped = byte === backslash && !isEscaped;
      isOpen = true;
      end += 1;
    }
    source.at = end;
    const piece = chunk.subarray(at, end);
    keep(piece);
    if (isName) pieces.push(Buffer.from(piece));
    if (isClosed) break;
  }
  return isName ? parseName(Buffer.concat(pieces)) : null;
}

function parseName(json: Buffer): string {
  try {
    return String(JSON.parse(json.toString()));
  } catch {
    return '';
  }
}

type Position = ReturnType<typeof createPosition>;

/** Follows the bytes between strings, to know the path of a value. */
function createPosition() {
  const containers: Container[] = [];
  let depth = 0;
  let isNameNext = false;
  const push = (isObject: boolean) => {
    depth += 1;
    isNameNext = isObject;
    if (depth > depthMax) return;
    const isInText = containers.at(-1)?.isText ?? false;
    containers.push({ isObject, isInText, isText: isInText, name: isObject ? '' : 0 });
  };
  const pop = () => {
    depth -= 1;
    isNameNext = false;
    if (depth < depthMax) containers.pop();
  };
  const next = () => {
    const container = containers.at(-1);
    isNameNext = container?.isObject ?? false;
    if (typeof container?.name === 'number') container.name += 1;
  };
  return {
    follow(byte: number): void {
      if (byte === openBrace || byte === openBracket) push(byte === openBrace);
      else if (byte === closeBrace || byte === closeBracket) pop();
      else if (byte === colon) isNameNext = false;
      else if (byte === comma) next();
    },
    enter(name: string): void {
      const container = containers.at(-1);
      if (!container?.isObject || depth > depthMax) return;
      container.name = name;
      container.isText = container.isInText || textFields.test(name);
    },
    expectsName: () => isNameNext,
    mayHaveFile: () => !isNameNext && depth <= depthMax && !containers.at(-1)?.isText,
    path: () => containers.map(({ name }) => name),
  };
}
