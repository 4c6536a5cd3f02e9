/**
 * Replaces the base64 data URIs in a JSON body by URLs while the body arrives: their content is
 * passed on as a stream, and only the other text is kept in memory.
 */
import { formatPath } from '@vidgen/contract/format-value.ts';
import { base64InJson } from './base64-chunks.ts';
import { type ByteSource, createByteSource } from './byte-source.ts';
import type { NamedFile } from './request-files.ts';

/** Longer than the start of any data URI, up to the comma. */
export const headBytesMax = 300;
const headStart = '"data:';
const headPattern = /^"data:((?:[^",\\]|\\\/)*);base64,/;
/** Names of fields whose text is never a URL. */
export const textFields = /^(?:prompt|text|metadata)$/;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

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
  { onFile, keep }: ReplaceOptions,
): Promise<void> {
  const source = createByteSource(chunks);
  const text = createTextScanner(keep);
  try {
    while (await source.hasMore()) {
      if (!text.scan(source)) continue;
      await source.readAhead(headBytesMax);
      const { chunk, at } = source;
      const head = headPattern.exec(chunk.toString('latin1', at, at + headBytesMax));
      if (!head) {
        text.openString(source);
        continue;
      }
      source.at += head[0].length;
      const contentType = head[1]!.replaceAll('\\/', '/');
      const field = formatPath(text.path());
      const url = await onFile({ chunks: base64InJson(source), contentType, field });
      keep(Buffer.from(JSON.stringify(url)));
    }
  } finally {
    await source.close();
  }
}

/**
 * Keeps text up to a string that may be a data URI. Synchronous within a chunk: a body can have
 * half a million strings.
 */
function createTextScanner(keep: ReplaceOptions['keep']) {
  const position = createPosition();
  let [isInString, isEscaped] = [false, false];
  /** The bytes so far of a name that is being read. */
  let name: string | null = null;

  const open = () => {
    isInString = true;
    name = position.expectsName() ? '' : null;
  };
  /** Returns where the string goes on in the next chunk, or ends. */
  const readString = (chunk: Buffer, from: number): number => {
    let at = from;
    while (at < chunk.length && isInString) {
      const byte = chunk[at]!;
      isInString = byte !== quote || isEscaped;
      isEscaped = byte === backslash && !isEscaped;
      at += 1;
    }
    if (name === null) return at;
    name += chunk.toString('latin1', from, isInString ? at : at - 1);
    if (!isInString) position.enter(parseName(name));
    return at;
  };
  return {
    /** Returns whether it stopped at the opening quote of such a string. */
    scan(source: ByteSource): boolean {
      const { chunk, at: from } = source;
      let at = from;
      let isHead = false;
      while (at < chunk.length && !isHead) {
        if (isInString) {
          at = readString(chunk, at);
          continue;
        }
        isHead = chunk[at] === quote && position.mayHaveFile() && mayBeHead(chunk, at);
        if (isHead) break;
        if (chunk[at] === quote) open();
        else position.follow(chunk[at]!);
        at += 1;
      }
      source.at = at;
      keep(chunk.subarray(from, at));
      return isHead;
    },
    /** Goes on after a string that turned out to be another. */
    openString(source: ByteSource): void {
      open();
      keep(source.chunk.subarray(source.at, source.at + 1));
      source.at += 1;
    },
    path: position.path,
  };
}

/** Whether the bytes, as many as the chunk has, are the start of a data URI. */
function mayBeHead(chunk: Buffer, at: number): boolean {
  const length = Math.min(headStart.length, chunk.length - at);
  for (let index = 1; index < length; index++) {
    if (chunk[at + index] !== headStart.charCodeAt(index)) return false;
  }
  return true;
}

/** `bytes` has one character per byte of the name in JSON. */
function parseName(bytes: string): string {
  try {
    return String(JSON.parse(`"${Buffer.from(bytes, 'latin1').toString()}"`));
  } catch {
    return '';
  }
}

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
