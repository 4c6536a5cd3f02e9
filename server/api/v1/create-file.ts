/**
 * Stores a file that is sent with an API key, to be used as a material: raw bytes, or one file of a
 * form.
 */
import assert from 'node:assert/strict';
import { UploadedFile, UploadForm } from '@vidgen/contract/files.ts';
import { receiveUpload } from '../files/receive-upload.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { createdAt } from '../http/samples.ts';

const sampleUrl =
  'https://videos.example.com/uploads/9f86d081884c7d65-2c26b46b68ffc68ff99b453c1d304134.png' +
  '?expires=1767441600&signature=Jx3…';

export const createFile = endpoint({
  operationId: 'createFile',
  method: 'POST',
  path: '/v1/files',
  summary: 'Upload a file to use as a material',
  description:
    'The body is the file itself, or `multipart/form-data` with one `file`; other fields of the ' +
    'form are ignored. Its type is detected from its first bytes, and it can be as large as a ' +
    'material of that type. It is kept for 48 hours; an account can hold 1,000 files and 2 GiB.',
  auth: 'key',
  permission: 'videos:create',
  extension: true,
  bodyType: 'application/octet-stream',
  form: UploadForm,
  streamBody: true,
  responses: {
    200: jsonResponse('The file, with the URL to use as a material.', UploadedFile, {
      image: [
        'An image',
        {
          id: 'file_2c26b46b68ffc68ff99b453c1d304134',
          url: sampleUrl,
          content_type: 'image/png',
          bytes: 184_320,
          expires_at: createdAt + 172_800,
        },
      ],
    }),
  },
  errors: { invalid_request: 'An image must be at most 30 MiB.' },
  async handler(services, request) {
    assert(request.identity);
    const { accountId } = request.identity;
    const { upload, bytes } = await receiveUpload(services, request, accountId);
    const body: UploadedFile = {
      id: upload.id,
      url: upload.url,
      content_type: upload.contentType,
      bytes,
      expires_at: upload.expiresAtSeconds,
    };
    return { body };
  },
});
