/** A stored file as a response: whole or in part, for GET and HEAD. */
import { rangeResponse } from '../../storage/range.ts';
import type { StoredFile } from '../../storage/storage.ts';
import type { ResponseDescription } from './endpoint-definition.ts';
import type { ApiRequest, ApiResponse } from './handler.ts';

export const fileDescriptions = (
  contentType: string,
): Readonly<Record<number, ResponseDescription>> => ({
  200: { description: 'The whole file.', contentType },
  206: { description: 'The part that `Range` asked for.', contentType },
  304: { description: 'The file is the one that `If-None-Match` names.' },
  416: { description: 'The file has no such part.' },
});

/** Applies `Range`, `If-Range` and `If-None-Match` of the request. Closes the file if unread. */
export async function fileResponse(
  file: StoredFile,
  { request, fileName }: { readonly request: ApiRequest; readonly fileName: string },
): Promise<ApiResponse> {
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [range, ifRange, ifNoneMatch] = ['range', 'if-range', 'if-none-match'].map(header);
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  const { bytesTotal, contentType, etag } = file;
  const { range: served, ...response } = rangeResponse(
    { method, range, ifRange, ifNoneMatch },
    { bytesTotal, contentType, etag, fileName },
  );
  if (served && method === 'GET') return { ...response, stream: file.read(served) };
  await file.close();
  return response;
}
