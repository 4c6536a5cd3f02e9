/** Uploads a file and reports its progress, which `fetch` cannot do. */
import type { ErrorResponse } from '@vidgen/contract/error-response.ts';
import { ApiError } from './api-error.ts';
import { buildUrl, endSession } from './client.ts';

export function sendFile<ResponseBody>(
  path: string,
  file: File,
  options: {
    /** `fraction` is from 0 to 1. */
    onProgress(fraction: number): void;
    readonly signal: AbortSignal;
  },
): Promise<ResponseBody> {
  const { onProgress, signal } = options;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', buildUrl(path));
    request.setRequestHeader('content-type', file.type || 'application/octet-stream');
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      if (request.status === 201) return resolve(request.response as ResponseBody);
      if (request.status === 401) endSession();
      reject(toApiError(request));
    };
    request.onerror = () => reject(toApiError(request));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

function toApiError(request: XMLHttpRequest): ApiError {
  const { status } = request;
  const requestId = request.getResponseHeader('x-request-id');
  const body = (request.response as ErrorResponse | null)?.error;
  const message =
    status === 0 ? 'Upload interrupted. Try again.' : `Upload failed (HTTP ${status}).`;
  const code = status === 0 ? 'unreachable' : 'internal_error';
  return new ApiError(body ?? { code, message }, { status, requestId });
}
