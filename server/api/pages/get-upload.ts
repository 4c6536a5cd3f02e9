/** Serves an uploaded file by its signed URL, with a policy that makes it inert in a browser. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { fileDescriptions, fileResponse } from '../http/file-response.ts';

export const getUpload = endpoint({
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
    if (!file) {
      throw new ApiError('not_found', 'This upload doesn’t exist or has expired.');
    }
    const { headers, ...response } = await fileResponse(file, { request, fileName: name });
    const policy = { 'content-security-policy': "default-src 'none'; sandbox" };
    return { ...response, headers: { ...headers, ...policy } };
  },
});
