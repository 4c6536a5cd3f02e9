/**
 * Reads `multipart/form-data`: text fields are collected, files are passed on as streams, and so
 * are data URIs where they are accepted. Parts, their headers and the text are bounded, and a form
 * that is cut or malformed is an API error.
 */
import { once } from 'node:events';
import type { BusboyFileStream } from '@fastify/busboy';
import { type ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { afterArrivals } from '../../process/clock.ts';
import type { HeldBody } from '../http/request-body.ts';
import { isTextField, readText } from './form-text.ts';
import { filesPerRequestMax, type NamedFile } from './request-files.ts';

const fieldsMax = 100;
const textBytesMax = 1024 * 1024;
const nameBytesMax = 200;
const limits = {
  fieldNameSize: nameBytesMax,
  parts: fieldsMax + filesPerRequestMax,
  headerPairs: 20,
  headerSize: 4096,
};

/** Text, the value of a file, or an array of these if the name was given several times. */
export type FormFields = Readonly<Record<string, unknown>>;

export const isForm = (contentType: string | readonly string[] = ''): boolean =>
  /^\s*multipart\/form-data\s*(;|$)/i.test(String(contentType));

export type FormOptions = {
  readonly contentType: string;
  /** Returns the value that stands for the file. */
  readonly onFile: (file: NamedFile) => Promise<unknown>;
  /** Gives up the form and its files. */
  readonly signal?: AbortSignal;
  readonly held?: HeldBody;
  /** Whether a base64 data URI in a text field is a file. */
  readonly acceptsDataUris?: boolean;
  /** Whether text is read and dropped. */
  readonly ignoresText?: boolean;
};

/** Names are kept as they are. */
export async function readForm(
  chunks: AsyncIterable<Buffer>,
  { contentType, signal, ...options }: FormOptions,
): Promise<FormFields> {
  const failure = new AbortController();
  signal?.addEventListener('abort', () => failure.abort(malformed()), { once: true });
  const parser = await openParser(contentType);
  const { values, streams, waitFor } = followParser(parser, { ...options, failure });
  try {
    for await (const chunk of chunks) {
      failure.signal.throwIfAborted();
      if (!parser.write(chunk)) await waitFor('drain');
    }
    parser.end();
    await waitFor('finish');
    return groupByName(
      await Promise.all(values.map(async ([name, value]) => [name, await value] as const)),
    );
  } catch (error) {
    const reason = failure.signal.aborted ? failure.signal.reason : error;
    for (const stream of streams) stream.destroy(reason);
    await Promise.allSettled(values.map(([, value]) => value));
    throw reason;
  }
}

/**
 * Waits for an event of the parser. A part whose headers do not end is never read, and then neither
 * event comes: the form is malformed if all parts that were found are read, and no other follows.
 */
function createWaiting(parser: Parser, failure: AbortController) {
  let [partsInProgress, waits, isWaiting] = [0, 0, false];
  const check = () => {
    const checkedWait = waits;
    if (partsInProgress > 0 || !isWaiting) return;
    // The parser reads on without waiting for anything else.
    afterArrivals(() => {
      if (partsInProgress === 0 && isWaiting && waits === checkedWait) failure.abort(malformed());
    });
  };
  return {
    async waitFor(event: 'drain' | 'finish') {
      const emitted = once(parser, event, failure);
      [waits, isWaiting] = [waits + 1, true];
      check();
      await emitted;
      isWaiting = false;
    },
    follow(part: Promise<unknown>) {
      partsInProgress += 1;
      part.then(() => {
        partsInProgress -= 1;
        check();
      }, failure.abort.bind(failure));
    },
  };
}

function followParser(
  parser: Parser,
  options: Omit<FormOptions, 'contentType' | 'signal'> & { readonly failure: AbortController },
) {
  const { onFile, failure, held, acceptsDataUris = false, ignoresText = false } = options;
  const { waitFor, follow } = createWaiting(parser, failure);
  const values: (readonly [name: string, value: Promise<unknown>])[] = [];
  const streams: BusboyFileStream[] = [];
  const left = { text: fieldsMax, file: filesPerRequestMax };
  let textBytes = 0;
  const count = (bytes: number) => {
    textBytes += bytes;
    if (textBytes > textBytesMax) {
      throw invalidRequest('The text fields of the form must be at most 1 MiB together.');
    }
    if (!ignoresText) held?.take(bytes);
  };
  const add = (name: unknown, kind: keyof typeof left, read: (name: string) => unknown) => {
    const readPart = async () => {
      if (typeof name !== 'string' || Buffer.byteLength(name) > nameBytesMax) throw malformed();
      left[kind] -= 1;
      if (left[kind] < 0) throw tooManyParts();
      if (kind === 'text') count(Buffer.byteLength(name));
      return await read(name);
    };
    const value = readPart();
    follow(value);
    values.push([String(name), value]);
  };
  parser.on('file', (name, stream, fileName, _encoding, contentType) => {
    streams.push(stream);
    // The parser emits an error of a cut part even after the file was given up.
    stream.on('error', () => {});
    if (isFile(contentType, fileName)) {
      add(name, 'file', (field) => onFile({ chunks: stream, contentType, field }));
    } else {
      add(name, 'text', (field) => {
        const mayBeFile = acceptsDataUris && !isTextField(field);
        return readText(stream, { field, onFile, count, mayBeFile, isKept: !ignoresText });
      });
    }
  });
  parser.on('partsLimit', () => failure.abort(tooManyParts()));
  parser.on('error', () => failure.abort(malformed()));
  return { values, streams, waitFor };
}

const isFile = (contentType: string | undefined, fileName: string | undefined): boolean =>
  fileName !== undefined || contentType === 'application/octet-stream';

type Parser = Awaited<ReturnType<typeof openParser>>;

/** Loaded with the first form. Text is a stream like a file: the parser would not count it. */
async function openParser(contentType: string) {
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({
      headers: { 'content-type': contentType.trim() },
      limits,
      isPartAFile: () => true,
    });
  } catch {
    throw malformed();
  }
}

function groupByName(entries: readonly (readonly [string, unknown])[]): FormFields {
  const groups = Map.groupBy(entries, ([name]) => name);
  const toValue = (group: readonly (readonly [string, unknown])[]): unknown =>
    group.length === 1 ? group[0]![1] : group.map(([, value]) => value);
  // Unlike an assignment, this keeps a field named `__proto__` a field.
  return Object.fromEntries([...groups].map(([name, group]) => [name, toValue(group)]));
}

const malformed = (): ApiError =>
  invalidRequest('The body is not valid multipart/form-data, or it was cut off; send it again.');
const tooManyParts = (): ApiError =>
  invalidRequest(
    `The form must have at most ${fieldsMax} text fields and ${filesPerRequestMax} files.`,
  );
