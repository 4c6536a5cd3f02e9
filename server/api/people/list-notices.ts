/** Lists the notices that the person may see and has not dismissed. */
import { ListNoticesQuery, ListNoticesResponse } from '@vidgen/contract/notices.ts';
import { findReading, listNotices as list } from '../../messages/list-notices.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { createdAt } from '../http/samples.ts';
import { noticeViews, viewerOf } from './notice-views.ts';
import { requireSession } from './session-response.ts';

const notice = {
  id: 'notice_1jc0a9v4g0abcdefghij012345',
  kind: 'low_balance',
  title: 'Low balance: Acme Studio',
  message:
    'Acme Studio had 80 credits left, below the alert at 100 credits. New tasks are rejected ' +
    'when credits run out.',
  detail: { available: 80, threshold: 100 },
  account_id: '0b54ad3f-5a0c-4f27-9d0e-0a4f8a1f2b3c',
  account_name: 'Acme Studio',
  created_at: createdAt,
  resolved_at: null,
};

export const listNotices = endpoint({
  parsesItself: true,
  operationId: 'listNotices',
  method: 'GET',
  path: '/notices',
  summary: 'List notices',
  description:
    'Those of the accounts that the person is a member of; administrators see all, and those of ' +
    'the installation. Newest first, without dismissed ones.',
  auth: 'person',
  query: ListNoticesQuery,
  responses: {
    200: {
      description: 'A page of notices, and how many are unread.',
      schema: ListNoticesResponse,
      examples: {
        one: ['One', { items: [notice], next_cursor: null, unread: 1, read_up_to: null }],
      },
    },
  },
  errors: { invalid_request: 'limit must be an integer of 1 to 100 (got "many")' },
  async handler({ lifecycle: { db } }, request) {
    const page = parseQuery(ListNoticesQuery, request.query);
    const viewer = await viewerOf(db, requireSession(request).person);
    const { items, nextCursor } = await list(db, viewer, page);
    const { unread, readUpTo } = await findReading(db, viewer);
    const body: ListNoticesResponse = {
      items: await noticeViews(db, items),
      ...{ next_cursor: nextCursor, unread, read_up_to: readUpTo },
    };
    return { body };
  },
});
