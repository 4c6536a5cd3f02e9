/** Receives and stores the one file of an upload request: raw bytes, or the `file` of a form. */

import type { Readable } from 'node:stream';
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { isForm, readForm } from './form-body.ts';
import { fileTooLarge, readChunks } from './receive-file.ts';
import { openRequestFiles, type RequestFiles, type UploadedFile } from './request-files.ts';

/** What a form may add to its file. */
const formBytesMax = 1024 * 1024;

export async function receiveUpload(
  services: ApiServices,
  request: ApiRequest,
  accountId: string,
): Promise<UploadedFile> {
  const { abortSignal, reauthorize } = request;
  requireFittingHeaders(services, request);
  const files = openRequestFiles(services, { accountId, caller: request, abortSignal });
  try {
    const file = await receive(files, request);
    // The file may have taken ten minutes to arrive.
    await reauthorize(services.lifecycle.db, { lock: false });
    await files.store();
    files.keep(true);
    return file;
  } catch (error) {
    // Drains the rest: a client that is still sending would not read the error response.
    (request.body as Readable).resume();
    throw error;
  } finally {
    await files.close();
  }
}

/** Checks the headers before the body is read. */
function requireFittingHeaders({ materialBytesMax }: ApiServices, { headers }: ApiRequest): void {
  if (!/^\s*identity\s*$/i.test(String(headers['content-encoding'] ?? 'identity'))) {
    throw invalidRequest('The file must be sent without Content-Encoding.');
  }
  const bytesMax = Math.max(...Object.values(materialBytesMax));
  const added = isForm(headers['content-type'] as string | undefined) ? formBytesMax : 0;
  if (Number(headers['content-length'] ?? 0) > bytesMax + added)
    throw fileTooLarge('A file', bytesMax);
}

async function receive(
  files: RequestFiles,
  { body, headers, abortSignal }: ApiRequest,
): Promise<UploadedFile> {
  const contentType = String(headers['content-type'] ?? '');
  const chunks = readChunks(body as Readable);
  if (!isForm(contentType)) return await files.receive({ chunks, contentType });
  let found: Promise<UploadedFile> | undefined;
  await readForm(chunks, {
    contentType,
    signal: abortSignal(),
    ignoresText: true,
    async onFile({ field, ...file }) {
      if (field !== 'file' || found) throw notOneFile();
      found = files.receive(file);
      await found;
    },
  });
  if (!found) throw notOneFile();
  return await found;
}

const notOneFile = () =>
  invalidRequest('The form must have one file, in the field file; other fields are ignored.');
