/**
 * Reads `multipart/form-data`: text fields are collected, files are passed on as streams, and so
 * are data URIs where they are accepted. Parts, their headers and the text are bounded, and a form
 * that is cut or malformed is an API error.
 */
import { once } from 'node:events';
import type { BusboyFileStream } from '@fastify/busboy';
import { ApiError } from '../../api-error.ts';
import { afterArrivals } from '../../clock.ts';
import { isTextField, readText } from './form-text.ts';
import { filesPerRequestMax, type NamedFile } from './request-files.ts';

const fieldsMax = 100;
const textBytesMax = 1024 * 1024;
const nameBytesMax = 200;
const limits = {
  fieldNameSize: nameBytesMax,
  fieldSize: textBytesMax,
  parts: fieldsMax + filesPerRequestMax,
  headerPairs: 20,
  headerSize: 4096,
};

/** Text, the value of a file, or an array of these if the name was given several times. */
export type FormFields = Readonly<Record<string, unknown>>;

export const isForm = (contentType: string | undefined): boolean =>
  /^\s*multipart\/form-data\s*(;|$)/i.test(contentType ?? '');

export type FormOptions = {
  readonly contentType: string;
  /** Returns the value that stands for the file. */
  readonly onFile: (file: NamedFile) => Promise<unknown>;
  /** Gives up the form and its files. */
  readonly signal?: AbortSignal;
  /** Whether a base64 data URI in a text field is a file. */
  readonly acceptsDataUris?: boolean;
};

/** Names are kept as they are. */
export async function readForm(
  chunks: AsyncIterable<Buffer>,
  { contentType, onFile, signal, acceptsDataUris = false }: FormOptions,
): Promise<FormFields> {
  const failure = new AbortController();
  const fail = (error: unknown) => failure.abort(error);
  signal?.addEventListener('abort', () => fail(malformed()), { once: true });
  const parser = await openParser(contentType, { acceptsDataUris });
  const { values, streams } = followParser(parser, { onFile, fail });
  try {
    for await (const chunk of chunks) {
      failure.signal.throwIfAborted();
      if (!parser.write(chunk)) await once(parser, 'drain', failure);
    }
    parser.end();
    return groupByName(await readValues(parser, { values, failure }));
  } catch (error) {
    const reason = failure.signal.aborted ? failure.signal.reason : error;
    for (const stream of streams) stream.destroy(reason);
    await Promise.allSettled(values.map(([, value]) => value));
    throw reason;
  }
}

type PendingValue = readonly [name: string, value: Promise<unknown>];

/**
 * Waits for the values of all parts after the end of the input. The parser does not finish if the
 * headers of a part have no end: then all parts it has found are read, and no other follows.
 */
async function readValues(
  parser: Parser,
  {
    values,
    failure,
  }: { readonly values: readonly PendingValue[]; readonly failure: AbortController },
): Promise<(readonly [name: string, value: unknown])[]> {
  let isFinished = false;
  parser.once('finish', () => {
    isFinished = true;
  });
  for (;;) {
    const found = values.length;
    const read = await Promise.all(
      values.map(async ([name, value]) => [name, await value] as const),
    );
    // The parser reads on without waiting for anything else.
    await new Promise<void>(afterArrivals);
    failure.signal.throwIfAborted();
    if (values.length > found) continue;
    if (isFinished) return read;
    throw malformed();
  }
}

function followParser(
  parser: Parser,
  options: {
    readonly onFile: FormOptions['onFile'];
    readonly fail: (error: unknown) => void;
  },
) {
  const { onFile, fail } = options;
  const values: PendingValue[] = [];
  const streams: BusboyFileStream[] = [];
  const left = { text: fieldsMax, file: filesPerRequestMax };
  let textBytes = 0;
  const count = (bytes: number) => {
    textBytes += bytes;
    if (textBytes > textBytesMax) throw tooMuchText();
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
    value.catch(fail);
    values.push([String(name), value]);
  };
  parser.on('field', (name, value, _, isTruncated) => {
    add(name, 'text', () => {
      count(isTruncated ? Number.POSITIVE_INFINITY : Buffer.byteLength(value));
      return value;
    });
  });
  parser.on('file', (name, stream, fileName, _encoding, contentType) => {
    streams.push(stream);
    // The parser emits an error of a cut part even after the file was given up.
    stream.on('error', () => {});
    if (isFile(contentType, fileName)) {
      add(name, 'file', (field) => onFile({ chunks: stream, contentType, field }));
    } else {
      add(name, 'text', (field) => readText(stream, { field, onFile, count }));
    }
  });
  parser.on('partsLimit', () => fail(tooManyParts()));
  parser.on('error', () => fail(malformed()));
  return { values, streams };
}

const isFile = (contentType: string | undefined, fileName: string | undefined): boolean =>
  fileName !== undefined || contentType === 'application/octet-stream';

type Parser = Awaited<ReturnType<typeof openParser>>;

/** Loaded with the first form. Text that may be a data URI is a stream like a file. */
async function openParser(
  contentType: string,
  { acceptsDataUris }: { readonly acceptsDataUris: boolean },
) {
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({
      headers: { 'content-type': contentType.trim() },
      limits,
      isPartAFile: (name, type, fileName) =>
        isFile(type, fileName) || (acceptsDataUris && !isTextField(name ?? '')),
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

const invalidForm = (message: string): ApiError => new ApiError('invalid_request', message);

const malformed = (): ApiError =>
  invalidForm('The body is not valid multipart/form-data, or it was cut off; send it again.');
const tooManyParts = (): ApiError =>
  invalidForm(
    `The form must have at most ${fieldsMax} text fields and ${filesPerRequestMax} files.`,
  );
const tooMuchText = (): ApiError =>
  invalidForm('The text fields of the form must be at most 1 MiB together.');
