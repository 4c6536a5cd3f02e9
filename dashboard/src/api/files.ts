/** Uploads a file and reports its progress, which `fetch` cannot do. */
import type { ErrorResponse } from '@vidgen/contract/error-response.ts';
import { ApiError } from './api-error.ts';
import { servicePath } from './base-path.ts';
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

/** Throws an error with a message for the person; `name` completes it: "the video". */
export async function fetchFile(url: string, name: string): Promise<Blob> {
  const response = await fetch(sameOriginUrl(url) ?? url).catch(() => null);
  if (response === null) throw new Error(`Couldn’t load ${name}. Check your connection.`);
  if (response.status === 404) throw new Error(`Couldn’t load ${name}. It has expired.`);
  if (!response.ok) throw new Error(`Couldn’t load ${name} (HTTP ${response.status}).`);
  return await response.blob();
}

/** The browser reads the file after the click, so its URL stays valid for a while. */
const urlMs = 60_000;

/** Saves a file that was made in the browser, as a download. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), urlMs);
}

const servedFolders = ['/results/', '/uploads/'];

/** Returns null for URLs on other hosts. */
export function sameOriginUrl(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { origin, pathname, search } = new URL(url);
  if (origin === location.origin) return `${pathname}${search}`;
  const folder = servedFolders.find((one) => pathname.includes(one));
  if (folder === undefined || !/[?&]signature=/.test(search)) return null;
  return `${servicePath}${pathname.slice(pathname.indexOf(folder))}${search}`;
}
