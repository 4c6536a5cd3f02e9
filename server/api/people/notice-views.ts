/** Notices as JSON, and who sees which. */
import type { Notice as NoticeView } from '@vidgen/contract/notices.ts';
import { listPersonAccounts } from '../../accounts/people/membership.ts';
import { findAccountNames } from '../../accounts/people/notice-recipients.ts';
import type { PersonIdentity } from '../../accounts/people/person.ts';
import type { Queryable } from '../../database/database.ts';
import type { Viewer } from '../../messages/list-notices.ts';
import type { Notice } from '../../messages/notice.ts';
import { noticeText } from '../../messages/notice-text.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';

/** Administrators see all notices, others those of their accounts. */
export async function viewerOf(db: Queryable, person: PersonIdentity): Promise<Viewer> {
  const { id: personId, administrator } = person;
  if (administrator) return { personId, accountIds: null };
  const accounts = await listPersonAccounts(db, personId);
  return { personId, accountIds: accounts.map(({ id }) => id) };
}

export async function noticeViews(
  db: Queryable,
  notices: readonly Notice[],
): Promise<NoticeView[]> {
  const accountIds = notices.flatMap(({ accountId }) => accountId ?? []);
  const names = await findAccountNames(db, [...new Set(accountIds)]);
  return notices.map((notice) => {
    const { id, kind, accountId, detail, createdAt, resolvedAt } = notice;
    const accountName = (accountId && names.get(accountId)) || null;
    const { title, message } = noticeText(notice, accountName);
    return {
      ...{ id, kind, title, message, detail },
      account_id: accountId,
      account_name: accountName,
      created_at: unixSeconds(createdAt),
      resolved_at: unixSecondsOrNull(resolvedAt),
    };
  });
}
