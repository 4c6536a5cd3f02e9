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
import { type SaveInto, saveStream } from '../egress/save-stream.ts';
import { monotonicMs } from '../process/clock.ts';
import { rangeResponse } from './range.ts';
import { verifySignedUrl } from './signed-url.ts';
import type { Storage, StoredFile } from './storage.ts';
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

async function saveResponse(response: GetResult, into: SaveInto): Promise<EgressDownload> {
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

const urlPattern =
  /^results\/(task_\w{26})\/([\w.-]{1,50})\?expires=(\d{1,11})&signature=([\w-]{1,64})$/;

/**
 * Our own results by their signed URLs, for tasks that edit or extend the video of another one. The
 * service need not reach itself over the network for that.
 */
export function createLocalResults({
  storage,
  secret,
  publicUrl,
  nowSeconds,
  findKey,
}: {
  readonly storage: Storage;
  readonly secret: string;
  readonly publicUrl: () => string;
  readonly nowSeconds: () => number;
  /** Returns the storage key of a task's file; null if it has none of this name, or no longer. */
  readonly findKey: (file: { taskId: string; name: string }) => Promise<string | null>;
}): LocalFiles {
  return {
    parseUrl(url) {
      const base = `${publicUrl().replace(/\/{1,9}$/, '')}/`;
      if (!url.startsWith(base)) return null;
      const [, taskId, name, expires, signature] = urlPattern.exec(url.slice(base.length)) ?? [];
      if (!taskId || !name || !expires || !signature) return null;
      const parts = { secret, taskId, name, expires, signature, nowSeconds: nowSeconds() };
      const verdict = verifySignedUrl(parts);
      if (verdict === 'invalid_signature') return null;
      return { key: `${taskId}/${name}`, isExpired: verdict === 'expired' };
    },
    async open({ key }) {
      const [taskId = '', name = ''] = key.split('/');
      const stored = await findKey({ taskId, name });
      return stored === null ? null : await storage.open(stored);
    },
  };
}
