/** Resumes a suspended account: everything works as before. */
import { Account } from '@vidgen/contract/admin-accounts.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { resumeAccount as resume } from '../../accounts/suspension.ts';
import { endpoint } from '../http/endpoint.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';

export const resumeAccount = endpoint({
  operationId: 'resumeAccount',
  method: 'POST',
  path: '/admin/accounts/:id/resume',
  summary: 'Resume a suspended account',
  description: 'Its keys work again, everywhere within 5 seconds.',
  auth: 'admin',
  requiresConfirmation: true,
  responses: {
    200: {
      description: 'The account.',
      schema: Account,
      examples: { resumed: ['Resumed', account] },
    },
  },
  async handler({ lifecycle: { db }, keys }, { params, actor, transaction }) {
    const row = await transaction(async (tx) => {
      const changed = await resume(tx, params.id!);
      await recordAudit(tx, { actor, action: 'account.resume', subject: changed.id });
      return changed;
    });
    keys.invalidateAccount(row.id);
    return { body: await accountWithBalances(db, row, { isAdmin: true }) };
  },
});
