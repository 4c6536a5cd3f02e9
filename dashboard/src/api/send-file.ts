/** Sends a file and tells how far it has come, which `fetch` cannot. */
import type { ErrorAnswer } from '@vidgen/contract/error-answer.ts';
import { ApiError } from './api-error.ts';
import { addressOf, endSession } from './client.ts';

export function sendFile<Answer>(
  path: string,
  file: File,
  options: {
    /** 0 to 1. */
    onProgress(share: number): void;
    readonly signal: AbortSignal;
  },
): Promise<Answer> {
  const { onProgress, signal } = options;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', addressOf(path));
    request.setRequestHeader('content-type', file.type || 'application/octet-stream');
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      if (request.status === 201) return resolve(request.response as Answer);
      if (request.status === 401) endSession();
      reject(refusalOf(request));
    };
    request.onerror = () => reject(refusalOf(request));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

function refusalOf(request: XMLHttpRequest): ApiError {
  const { status } = request;
  const requestId = request.getResponseHeader('x-request-id');
  const told = (request.response as ErrorAnswer | null)?.error;
  const message =
    status === 0 ? 'The connection was lost: try again.' : `The service answered ${status}.`;
  const code = status === 0 ? 'unreachable' : 'internal_error';
  return new ApiError(told ?? { code, message }, { status, requestId });
}
