/** Notices: those that the person may see, which of them are read, and which are dismissed. */
import {
  ListNoticesQuery,
  ListNoticesResponse,
  type Notice as NoticeView,
  ReadNoticesRequest,
} from '@vidgen/contract/notices.ts';
import { findAccountNames, listPersonAccounts } from '../../accounts/people/membership.ts';
import type { PersonIdentity } from '../../accounts/people/person.ts';
import type { Queryable } from '../../database/database.ts';
import * as notices from '../../messages/list-notices.ts';
import type { Notice } from '../../messages/notice.ts';
import { noticeText } from '../../messages/notice-text.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { createdAt } from '../http/samples.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';
import { requireSession } from './session-response.ts';

const noticeSample = {
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

const listNotices = endpoint({
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
    200: jsonResponse('A page of notices, and how many are unread.', ListNoticesResponse, {
      one: ['One', { items: [noticeSample], next_cursor: null, unread: 1, read_up_to: null }],
    }),
  },
  errors: { invalid_request: 'limit must be an integer of 1 to 100 (got "many")' },
  async handler({ lifecycle: { db } }, request) {
    const viewer = await viewerOf(db, requireSession(request).person);
    const { items, nextCursor } = await notices.listNotices(db, viewer, request.query);
    const { unread, readUpTo } = await notices.findReading(db, viewer);
    const body: ListNoticesResponse = {
      items: await noticeViews(db, items),
      next_cursor: nextCursor,
      unread,
      read_up_to: readUpTo,
    };
    return { body };
  },
});

const readNotices = endpoint({
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
    const { id: personId } = requireSession(request).person;
    await request.transaction((tx) => notices.markRead(tx, { personId, upTo: request.body.up_to }));
    return { status: 204 };
  },
});

const dismissNotice = endpoint({
  operationId: 'dismissNotice',
  method: 'POST',
  path: '/notices/:id/dismiss',
  summary: 'Dismiss a notice',
  description:
    'Hides the notice for the person who sends the request. The same condition is reported again ' +
    'when it has ended and returns.',
  auth: 'person',
  responses: { 204: { description: 'Dismissed.' } },
  errors: { not_found: 'No notice found with this ID.' },
  async handler(_services, request) {
    const { person } = requireSession(request);
    await request.transaction(async (tx) => {
      await notices.dismissNotice(tx, await viewerOf(tx, person), request.params.id!);
    });
    return { status: 204 };
  },
});

/** Administrators see all notices, others those of their accounts. */
async function viewerOf(db: Queryable, person: PersonIdentity): Promise<notices.Viewer> {
  const { id: personId, administrator } = person;
  if (administrator) return { personId, accountIds: null };
  const accounts = await listPersonAccounts(db, personId);
  return { personId, accountIds: accounts.map(({ id }) => id) };
}

async function noticeViews(db: Queryable, found: readonly Notice[]): Promise<NoticeView[]> {
  const accountIds = found.flatMap(({ accountId }) => accountId ?? []);
  const names = await findAccountNames(db, [...new Set(accountIds)]);
  return found.map((notice) => {
    const { id, kind, accountId, detail, createdAt, resolvedAt } = notice;
    const accountName = (accountId && names.get(accountId)) || null;
    const { title, message } = noticeText(notice, accountName);
    return {
      id,
      kind,
      title,
      message,
      detail,
      account_id: accountId,
      account_name: accountName,
      created_at: unixSeconds(createdAt),
      resolved_at: unixSecondsOrNull(resolvedAt),
    };
  });
}

export const noticeEndpoints = [listNotices, readNotices, dismissNotice];
