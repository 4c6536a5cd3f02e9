/**
 * Reads a body that may contain files: JSON with base64 data URIs, or `multipart/form-data`. Each
 * file is streamed to disk and stands in the body as the URL it can be stored under; the rest is
 * at most 1 MiB, as in any other body.
 */
import type { IncomingMessage } from 'node:http';
import { type ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import type { MaterialSizeLimits } from '../../materials/material.ts';
import {
  bodyTooLarge,
  CollectedBytes,
  type HeldBody,
  type OpenMaterialBody,
  type ReceivedBody,
  readBody,
  textBytesMax,
} from '../http/request-body.ts';
import { replaceDataUris } from './data-uris.ts';
import { isForm, readForm } from './form-body.ts';
import { readChunks } from './receive-file.ts';
import { openRequestFiles, type RequestFiles } from './request-files.ts';

const jsonBytesMax = 64 * 1024 ** 2;

type MaterialBodyOptions = {
  readonly files: RequestFiles;
  readonly acceptsForm: boolean;
  /** A form can hold the largest file beside its text. */
  readonly sizes: MaterialSizeLimits;
  readonly signal: () => AbortSignal;
  readonly held: HeldBody;
};

export const openMaterialBody: OpenMaterialBody = (services, { acceptsForm, ...options }) => {
  const files = openRequestFiles(services, options);
  const { abortSignal: signal } = options;
  const sizes = services.materialBytesMax;
  return {
    store: files.store,
    keep: files.keep,
    close: files.close,
    read: (request, held) => readMaterialBody(request, { files, acceptsForm, sizes, signal, held }),
  };
};

async function readMaterialBody(
  request: IncomingMessage,
  { files, acceptsForm, sizes, signal, held }: MaterialBodyOptions,
): Promise<ReceivedBody> {
  const contentType = request.headers['content-type'] ?? '';
  const onFile = async (file: Parameters<RequestFiles['receive']>[0]) =>
    (await files.receive(file)).upload.url;
  try {
    if (acceptsForm && isForm(contentType)) {
      const bytesMax = Math.max(jsonBytesMax, ...Object.values(sizes)) + textBytesMax;
      const chunks = limitedChunks(request, { bytesMax, held });
      const options = { contentType, onFile, held, signal: signal(), acceptsDataUris: true };
      return { fields: await readForm(chunks, options) };
    }
    const isJson = /^\s*application\/json\s*(;|$)/i.test(contentType);
    if (!isJson || isShort(request)) {
      const text = await readBody(request, { held });
      if (!isJson || !text.includes('"data:')) return { text };
      return { text: await readDataUris(chunksOf(text), { held, onFile }) };
    }
    const chunks = limitedChunks(request, { bytesMax: jsonBytesMax, held });
    return { text: await readDataUris(chunks, { held, onFile }) };
  } catch (error) {
    // Drains the rest: a client that is still sending would not read the error response.
    request.resume();
    throw error;
  }
}

/** Whether the length is known, and no more than is kept in memory anyway. */
const isShort = ({ headers }: IncomingMessage): boolean =>
  Number(headers['content-length'] ?? Number.NaN) <= textBytesMax;

async function* chunksOf(text: Buffer): AsyncGenerator<Buffer> {
  yield text;
}

async function readDataUris(
  chunks: AsyncIterable<Buffer>,
  {
    held,
    onFile,
  }: Pick<MaterialBodyOptions, 'held'> & Pick<Parameters<typeof replaceDataUris>[1], 'onFile'>,
): Promise<Buffer> {
  const kept = new CollectedBytes(held);
  let hasFiles = false;
  await replaceDataUris(chunks, {
    keep(text) {
      if (kept.length + text.length > textBytesMax)
        throw hasFiles ? tooMuchText() : bodyTooLarge(textBytesMax);
      kept.append(text);
    },
    onFile: async (file) => {
      hasFiles = true;
      return await onFile(file);
    },
  });
  return kept.bytes();
}

async function* limitedChunks(
  request: IncomingMessage,
  { bytesMax, held }: { readonly bytesMax: number; readonly held: HeldBody },
): AsyncGenerator<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw bodyTooLarge(bytesMax);
  let bytes = 0;
  for await (const chunk of readChunks(request, { held })) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw bodyTooLarge(bytesMax);
    yield chunk;
  }
}

const tooMuchText = (): ApiError =>
  invalidRequest('The body must be at most 1 MiB beside its data URIs.');
