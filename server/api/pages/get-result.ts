/** Files by signed URLs: results and uploads. */
import { type ApiError, notFound } from '@vidgen/contract/api-error.ts';
import { z } from 'zod';
import { unixSeconds } from '../../process/clock.ts';
import { verifySignedUrl } from '../../storage/signed-url.ts';
import { resultKeys } from '../../tasks/task.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { fileDescriptions, fileResponse } from '../http/send.ts';

const getResult = endpoint({
  parsesItself: true,
  operationId: 'getResult',
  method: 'GET',
  path: '/results/:taskId/:name',
  summary: 'Download a result',
  description:
    'The URLs in `data.results`, `data.last_frame_url` and `poster_url` (admin API). They are ' +
    'signed, need no key, support `Range` requests, and work until `video_expires_at`.',
  auth: 'none',
  allowsHead: true,
  params: z.object({ taskId: z.string(), name: z.string() }),
  query: z.object({ expires: z.string(), signature: z.string() }),
  responses: {
    ...fileDescriptions('video/mp4'),
    302: {
      description:
        'Where the operator has set VIDGEN_STORAGE_SERVE=redirect: the file is at the signed URL ' +
        'in `Location`, which ends no later than this one.',
    },
  },
  errors: { not_found: 'The result has expired; its files were deleted at video_expires_at.' },
  async handler(services, request) {
    const { taskId = '', name = '' } = request.params;
    const { expires = '', signature = '' } = request.query;
    const verdict = verifySignedUrl({
      secret: services.urlSigningSecret,
      taskId,
      name,
      expires: String(expires),
      signature: String(signature),
      nowSeconds: unixSeconds(),
    });
    if (verdict === 'invalid_signature') {
      throw notFound('Invalid result URL; copy it unchanged from the task.');
    }
    const task = await services.tasks.find(taskId);
    if (!task?.result || task.expired) throw resultExpired();
    const key = resultKeys(task.result).find((stored) => stored.endsWith(`/${name}`));
    if (key === undefined) throw resultExpired();
    const fileName = `${taskId}.${name.split('.').at(-1)}`;
    const secondsLeft = Number(expires) - unixSeconds();
    const location = await presignedUrl(services, request, { key, fileName, secondsLeft });
    if (location) return { status: 302, headers: { location, 'cache-control': 'no-store' } };
    const file = await services.lifecycle.storage.open(key);
    if (!file) throw resultExpired();
    return await fileResponse(file, { request, fileName });
  },
});

/** Long enough to begin a download, which may take longer. */
const presignedSecondsMax = 300;

/**
 * Null if the file is to be streamed, as to pages of the dashboard, which need not reach the
 * bucket. Over plain HTTP browsers do not send the header.
 */
async function presignedUrl(
  { presignResult }: ApiServices,
  { method, headers }: ApiRequest,
  { key, fileName, secondsLeft }: { key: string; fileName: string; secondsLeft: number },
): Promise<string | null> {
  const seconds = Math.min(presignedSecondsMax, secondsLeft);
  if (!presignResult || seconds < 1 || headers['sec-fetch-site'] === 'same-origin') return null;
  const used = method === 'HEAD' ? 'HEAD' : 'GET';
  return await presignResult({ key, method: used, seconds, fileName });
}

const resultExpired = (): ApiError =>
  notFound('The result has expired; its files were deleted at video_expires_at.');

const getUpload = endpoint({
  parsesItself: true,
  operationId: 'getUpload',
  method: 'GET',
  path: '/uploads/:name',
  summary: 'Download an uploaded file',
  description:
    'A signed URL that needs no key, supports `Range` requests, and works for 48 hours after the ' +
    'upload.',
  auth: 'none',
  allowsHead: true,
  params: z.object({ name: z.string() }),
  query: z.object({ expires: z.string(), signature: z.string() }),
  responses: fileDescriptions('image/png'),
  errors: { not_found: 'This upload doesn’t exist or has expired.' },
  async handler({ uploads }, request) {
    const { expires = '', signature = '' } = request.query;
    const name = request.params.name!;
    const signedUrl = { name, expires: String(expires), signature: String(signature) };
    const found = uploads.verify(signedUrl);
    const file = found && !found.isExpired ? await uploads.open(found) : null;
    if (!file) throw notFound('This upload doesn’t exist or has expired.');
    const { headers, ...response } = await fileResponse(file, { request, fileName: name });
    const policy = { 'content-security-policy': "default-src 'none'; sandbox" };
    return { ...response, headers: { ...headers, ...policy } };
  },
});

export const fileEndpoints = [getResult, getUpload];
