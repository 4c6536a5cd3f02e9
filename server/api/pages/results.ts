/**
 * `GET /results/:taskId/:name`: a result by its signed address, whole or in part. The signature
 * says who may; the database's clock says until when.
 */

import { ApiError } from '../../api-error.ts';
import { unixSeconds } from '../../clock.ts';
import { rangeResponse } from '../../storage/range.ts';
import { verifySignedUrl } from '../../storage/signed-url.ts';
import type { StoredFile } from '../../storage/storage.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';

export async function getResult(services: ApiServices, request: ApiRequest): Promise<ApiResponse> {
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
  if (verdict === 'invalid_signature') throw invalidUrl();
  const task = await services.tasks.find(taskId);
  if (!task?.result || task.expired) throw resultExpired();
  const key = [task.result.video, task.result.lastFrame].find((headerValue) =>
    headerValue?.endsWith(`/${name}`),
  );
  const file = key ? await services.lifecycle.storage.open(key) : null;
  if (!file) throw resultExpired();
  return await fileResponse(file, { request, fileName: `${taskId}.${name.split('.').at(-1)}` });
}

/** A stored file, whole or in part, as the request's conditions say. */
export async function fileResponse(
  file: StoredFile,
  { request, fileName }: { readonly request: ApiRequest; readonly fileName: string },
): Promise<ApiResponse> {
  const { range, ifRange, ifNoneMatch } = conditionsOf(request);
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  const { bytesTotal, contentType, etag } = file;
  const response = rangeResponse(
    { method, range, ifRange, ifNoneMatch },
    { bytesTotal, contentType, etag, fileName },
  );
  if (!response.range || method === 'HEAD') {
    await file.close();
    return { status: response.status, headers: response.headers };
  }
  return { status: response.status, headers: response.headers, stream: file.read(response.range) };
}

const invalidUrl = (): ApiError =>
  new ApiError('not_found', 'There is no such address: take it whole from data of the task.');

const resultExpired = (): ApiError =>
  new ApiError('not_found', 'This result has expired: its files are deleted at video_expires_at.');

function conditionsOf({ headers }: ApiRequest) {
  const headerValue = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    range: headerValue('range'),
    ifRange: headerValue('if-range'),
    ifNoneMatch: headerValue('if-none-match'),
  };
}
