/**
 * Reads `multipart/form-data`: text fields are collected, files are passed on as streams. Parts,
 * their headers and the text are bounded, and a form that is cut or malformed is an API error.
 */
import { once } from 'node:events';
import type { BusboyFileStream } from '@fastify/busboy';
import { ApiError } from '../../api-error.ts';
import { filesPerRequestMax, type IncomingFile } from './request-files.ts';

const fieldsMax = 100;
const textBytesMax = 1024 * 1024;
const nameBytesMax = 200;
const limits = {
  fieldNameSize: nameBytesMax,
  fieldSize: textBytesMax,
  fields: fieldsMax,
  files: filesPerRequestMax,
  parts: fieldsMax + filesPerRequestMax,
  headerPairs: 20,
  headerSize: 4096,
};

/** Text, the value of a file, or an array of these if the name was given several times. */
export type FormFields = Readonly<Record<string, unknown>>;

export const isForm = (contentType: string | undefined): boolean =>
  /^\s*multipart\/form-data\s*(;|$)/i.test(contentType ?? '');

/** `onFile` returns the value that stands for the file. Names are kept as they are. */
export async function readForm(
  chunks: AsyncIterable<Buffer>,
  {
    contentType,
    onFile,
  }: { readonly contentType: string; readonly onFile: (file: NamedFile) => Promise<unknown> },
): Promise<FormFields> {
  const failure = new AbortController();
  const fail = (error: unknown) => failure.abort(error);
  const parser = await openParser(contentType);
  const { values, streams } = followParser(parser, { onFile, fail });
  try {
    for await (const chunk of chunks) {
      failure.signal.throwIfAborted();
      if (!parser.write(chunk)) await once(parser, 'drain', failure);
    }
    const finished = once(parser, 'finish', failure);
    parser.end();
    await finished;
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

export type NamedFile = IncomingFile & { readonly field: string };

function followParser(
  parser: Awaited<ReturnType<typeof openParser>>,
  options: {
    readonly onFile: (file: NamedFile) => Promise<unknown>;
    readonly fail: (error: unknown) => void;
  },
) {
  const { onFile, fail } = options;
  const values: (readonly [name: string, value: unknown])[] = [];
  const streams: BusboyFileStream[] = [];
  let textBytes = 0;
  const hasName = (name: unknown): name is string => {
    const isName = typeof name === 'string' && Buffer.byteLength(name) <= nameBytesMax;
    if (!isName) fail(malformed());
    return isName;
  };
  parser.on('field', (name, value, _, isTruncated) => {
    if (!hasName(name)) return;
    textBytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (isTruncated || textBytes > textBytesMax) return fail(tooMuchText());
    values.push([name, value]);
  });
  parser.on('file', (name, stream, _, _encoding, type) => {
    streams.push(stream);
    // The parser emits an error of a cut part even after the file was given up.
    stream.on('error', () => {});
    if (!hasName(name)) return void stream.resume();
    const value = onFile({ chunks: stream, contentType: type, field: name });
    value.catch(fail);
    values.push([name, value]);
  });
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    parser.on(event, () => fail(tooManyParts()));
  }
  parser.on('error', () => fail(malformed()));
  return { values, streams };
}

/** Loaded with the first form. */
async function openParser(contentType: string) {
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({ headers: { 'content-type': contentType.trim() }, limits });
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
