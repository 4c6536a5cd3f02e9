/** Sets below which live balance the account is notified. */
import { BalanceAlert, SetBalanceAlertRequest } from '@vidgen/contract/notices.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import type { Transaction } from '../../database/database.ts';
import { setBalanceAlert as setThreshold } from '../../ledger/balance-alerts.ts';
import { resolveNotice } from '../../messages/notice.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';

export const setBalanceAlert = endpoint({
  parsesItself: true,
  operationId: 'setBalanceAlert',
  method: 'POST',
  path: '/admin/accounts/:id/balance-alert',
  summary: 'Set the balance alert',
  description:
    'One notice is sent each time the available live credits fall below the threshold, within ' +
    'half a minute. The next is sent after the balance has risen to the threshold again.',
  auth: 'member',
  role: 'owner',
  body: SetBalanceAlertRequest,
  requestExamples: {
    some: ['Below 500 live credits', { threshold: 500 }],
    none: ['Never', { threshold: null }],
  },
  responses: {
    200: {
      description: 'The threshold as it is now.',
      schema: BalanceAlert,
      examples: { one: ['Below 500 live credits', { threshold: 500 }] },
    },
  },
  errors: { invalid_request: 'threshold must be at least 1 (got 0)' },
  async handler(_services, { params, body, actor, transaction }) {
    const { threshold } = parseBody(SetBalanceAlertRequest, body);
    await transaction(async (tx) => {
      const { id: accountId } = await getAccount(tx, params.id!);
      await changeBalanceAlert(tx, { accountId, threshold, actor });
    });
    return { body: { threshold } };
  },
});

type Change = {
  readonly accountId: string;
  readonly threshold: number | null;
  readonly actor: string;
};

export async function changeBalanceAlert(
  tx: Transaction,
  { accountId, threshold, actor }: Change,
): Promise<void> {
  await setThreshold(tx, { accountId, threshold });
  if (threshold === null) {
    await resolveNotice(tx, { kind: 'low_balance', accountId, subject: '' });
  }
  const action = 'balance_alert.set';
  await recordAudit(tx, { actor, action, subject: accountId, detail: { threshold } });
}
