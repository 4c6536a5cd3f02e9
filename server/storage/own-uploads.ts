/**
 * The door to customers' addresses, with one exception in front of it: our own uploads are read
 * from the storage instead of asked for over the network. Whatever bears no good signature of ours
 * goes to the guard, which refuses this machine and its neighbours as ever.
 */
import { Readable } from 'node:stream';
import { elapsedMs } from '../clock.ts';
import type { Downloaded, Egress, Failed, GetRequest, Got } from '../egress/egress.ts';
import { save } from '../egress/save.ts';
import { answerFile } from './range.ts';
import type { UploadFound, Uploads } from './uploads.ts';

export function withOwnUploads(egress: Egress, uploads: Uploads): Egress {
  const ownOf = ({ url, kind }: { url: string; kind: string }): UploadFound | null =>
    kind === 'material' ? uploads.recognise(url) : null;
  return {
    ...egress,
    check(text, kind) {
      const own = ownOf({ url: text, kind });
      if (!own) return egress.check(text, kind);
      return own.isExpired
        ? { ok: false, rule: 'must be an upload that has not expired' }
        : { ok: true, url: new URL(text) };
    },
    // What a task was created with is read for as long as it is there: the sweep waits for it.
    async get(request) {
      const own = ownOf(request);
      return own ? await getUpload(uploads, { own, request }) : await egress.get(request);
    },
    async download(request) {
      const own = ownOf(request);
      if (!own) return await egress.download(request);
      const answer = await getUpload(uploads, { own, request });
      return await saved(answer, request.into);
    },
  };
}

async function getUpload(
  uploads: Uploads,
  { own, request }: { own: UploadFound; request: GetRequest },
): Promise<Got> {
  const startedMs = elapsedMs();
  const file = await uploads.open(own);
  if (!file) {
    const nothing = { headers: {}, stream: Readable.from([]), discard: () => {}, url: request.url };
    return { outcome: 'answered', status: 404, ...nothing };
  }
  const { bytesTotal, contentType, etag } = file;
  const about = { bytesTotal, contentType, etag, fileName: 'upload' };
  const answer = answerFile({ method: 'GET', range: request.headers?.range }, about);
  const { range } = answer;
  const bytes = range ? range.end - range.start + 1 : 0;
  if (!range || bytes > request.bytesMax) await file.close();
  if (bytes > request.bytesMax) return failed('too_large', startedMs);
  const stream = range ? file.read(range) : Readable.from([]);
  return {
    outcome: 'answered',
    status: answer.status,
    headers: answer.headers,
    stream,
    discard: () => void stream.destroy(),
    url: request.url,
  };
}

async function saved(answer: Got, into: string): Promise<Downloaded> {
  if (answer.outcome === 'failed') return answer;
  const { status, stream, headers } = answer;
  if (status !== 200) return { outcome: 'answered', status };
  const bytes = await save(stream, into);
  return { outcome: 'saved', bytes, contentType: headers['content-type'] ?? null };
}

const failed = (error: Failed['error'], startedMs: number): Failed => ({
  outcome: 'failed',
  error,
  durationMs: elapsedMs() - startedMs,
});
