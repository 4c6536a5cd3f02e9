/**
 * Wraps the egress: our own uploads and results are read from storage instead of over the network.
 * Any URL without a valid signature of ours goes to the egress guard, which rejects this machine
 * and its neighbors as usual.
 */
import { Readable } from 'node:stream';
import type {
  Egress,
  EgressDownload,
  FailedRequest,
  GetRequest,
  GetResult,
} from '../egress/egress.ts';
import { saveStream } from '../egress/save-stream.ts';
import { monotonicMs } from '../process/clock.ts';
import { rangeResponse } from './range.ts';
import type { StoredFile } from './storage.ts';
import type { UploadRef } from './upload-urls.ts';

/** Files of ours by their signed URLs: uploads, or results. */
export type LocalFiles = {
  parseUrl(url: string): UploadRef | null;
  open(file: UploadRef): Promise<StoredFile | null>;
};

export function withLocalUploads(egress: Egress, uploads: LocalFiles): Egress {
  const findUpload = ({ url, kind }: { url: string; kind: string }): UploadRef | null =>
    kind === 'material' ? uploads.parseUrl(url) : null;
  return {
    ...egress,
    check(text, kind) {
      const upload = findUpload({ url: text, kind });
      if (!upload) return egress.check(text, kind);
      return upload.isExpired
        ? { ok: false, rule: 'must be an upload that has not expired' }
        : { ok: true, url: new URL(text) };
    },
    // An expired upload can still be read for existing tasks until the sweep deletes it.
    async get(request) {
      const upload = findUpload(request);
      return upload ? await getUpload(uploads, { upload, request }) : await egress.get(request);
    },
    async download(request) {
      const upload = findUpload(request);
      if (!upload) return await egress.download(request);
      const response = await getUpload(uploads, { upload, request });
      return await saveResponse(response, request.into);
    },
  };
}

async function getUpload(
  uploads: LocalFiles,
  { upload, request }: { upload: UploadRef; request: GetRequest },
): Promise<GetResult> {
  const startedMs = monotonicMs();
  const file = await uploads.open(upload);
  if (!file) {
    const emptyResponse = {
      headers: {},
      stream: Readable.from([]),
      discard: () => {},
      url: request.url,
    };
    return { outcome: 'response', status: 404, ...emptyResponse };
  }
  const { bytesTotal, contentType, etag } = file;
  const fileInfo = { bytesTotal, contentType, etag, fileName: 'upload' };
  const response = rangeResponse({ method: 'GET', range: request.headers?.range }, fileInfo);
  const { range } = response;
  const bytes = range ? range.end - range.start + 1 : 0;
  if (!range || bytes > request.bytesMax) await file.close();
  if (bytes > request.bytesMax) return failedRequest('too_large', startedMs);
  const stream = range ? file.read(range) : Readable.from([]);
  return {
    outcome: 'response',
    status: response.status,
    headers: response.headers,
    stream,
    discard: () => void stream.destroy(),
    url: request.url,
  };
}

async function saveResponse(response: GetResult, into: string): Promise<EgressDownload> {
  if (response.outcome === 'failed') return response;
  const { status, stream, headers } = response;
  if (status !== 200) return { outcome: 'response', status };
  const bytes = await saveStream(stream, into);
  return { outcome: 'saved', bytes, contentType: headers['content-type'] ?? null };
}

const failedRequest = (error: FailedRequest['error'], startedMs: number): FailedRequest => ({
  outcome: 'failed',
  error,
  durationMs: monotonicMs() - startedMs,
});
