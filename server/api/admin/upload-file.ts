/**
 * Stores a person's file, to be used as a material. The bytes are streamed to disk, the format is
 * detected from the first ones, and the file is kept for two days under a signed URL.
 */
import { Upload } from '@vidgen/contract/playground.ts';
import { getAccount } from '../../accounts/account.ts';
import { receiveUpload } from '../files/receive-upload.ts';
import { endpoint } from '../http/endpoint.ts';
import { createdAt } from '../http/samples.ts';
import { accountClosed } from './account-response.ts';

const sampleUrl =
  'https://videos.example.com/uploads/9f86d081884c7d65-2c26b46b68ffc68ff99b453c1d304134.png' +
  '?expires=1767441600&signature=Jx3…';

export const uploadFile = endpoint({
  operationId: 'uploadFile',
  method: 'POST',
  path: '/admin/accounts/:id/uploads',
  summary: 'Upload a file to use as a material',
  description:
    'The body is the file itself. Its type is detected from its first bytes, and it can be as ' +
    'large as a material of that type. It is kept for 48 hours; an account can hold 2 GiB.',
  auth: 'member',
  role: 'developer',
  requiresActiveAccount: true,
  bodyType: 'application/octet-stream',
  rawBody: true,
  streamBody: true,
  responses: {
    201: {
      description: 'The file, with the URL to use as a material.',
      schema: Upload,
      examples: {
        picture: [
          'An image',
          { url: sampleUrl, kind: 'image', bytes: 184_320, expires_at: createdAt + 172_800 },
        ],
      },
    },
  },
  errors: { invalid_request: 'An image must be at most 30 MiB.' },
  async handler(services, request) {
    const { id: accountId, closedAt } = await getAccount(services.lifecycle.db, request.params.id!);
    if (closedAt) throw accountClosed('The account is closed; files cannot be uploaded.');
    const { upload, format, bytes } = await receiveUpload(services, request, accountId);
    const { url, expiresAtSeconds } = upload;
    const body: Upload = { url, kind: format.media, bytes, expires_at: expiresAtSeconds };
    return { status: 201, body };
  },
});
