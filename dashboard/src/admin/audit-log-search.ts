/** The search parameters of the audit log page, and the query of the list and its export. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import { createdQueryOf, dayParam, textParam, withoutEmpty } from '../components/search-params.ts';

export type AuditLogSearch = {
  readonly subject?: string;
  /** The email of a person, or `admin token`. */
  readonly actor?: string;
  readonly action?: string;
  readonly account?: string;
  /** Days in UTC, both inclusive. */
  readonly from?: string;
  readonly until?: string;
};

export const auditLogSearch = (
  search: Partial<AuditLogSearch> & SearchSchemaInput,
): AuditLogSearch =>
  withoutEmpty<AuditLogSearch>({
    subject: textParam(search.subject),
    actor: textParam(search.actor),
    action: textParam(search.action),
    account: textParam(search.account),
    from: dayParam(search.from),
    until: dayParam(search.until),
  });

export const auditLogQueryOf = ({
  account,
  from,
  until,
  ...same
}: AuditLogSearch): Record<string, string> => ({
  ...same,
  ...(account ? { account_id: account } : {}),
  ...createdQueryOf({ from, until }),
});
