/** Marks notices as read, for the person who asks. */
import { ReadNoticesRequest } from '@vidgen/contract/notices.ts';
import { markRead } from '../../messages/list-notices.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { requireSession } from './session-response.ts';

export const readNotices = endpoint({
  parsesItself: true,
  operationId: 'readNotices',
  method: 'POST',
  path: '/notices/read',
  summary: 'Mark notices as read',
  description: 'Up to the newest that was shown, for the person who sends the request.',
  auth: 'person',
  body: ReadNoticesRequest,
  requestExamples: { one: ['Up to this one', { up_to: 'notice_1jc0a9v4g0abcdefghij012345' }] },
  responses: { 204: { description: 'Read.' } },
  errors: { invalid_request: 'up_to must be the ID of a notice (got "all")' },
  async handler(_services, request) {
    const { up_to: upTo } = parseBody(ReadNoticesRequest, request.body);
    const { id: personId } = requireSession(request).person;
    await request.transaction((tx) => markRead(tx, { personId, upTo }));
    return { status: 204 };
  },
});
