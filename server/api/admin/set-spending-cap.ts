/** Sets or removes the spending cap of a key. */
import { SetSpendingCapRequest } from '@vidgen/contract/account-controls.ts';
import { ApiKey } from '@vidgen/contract/admin-accounts.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { findKeys } from '../../accounts/keys/api-key.ts';
import { setSpendingCap as setCap } from '../../lifecycle/create/create-limits.ts';
import { nowMs } from '../../process/clock.ts';
import { creditsOfKeys } from '../../tasks/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { apiKey } from './samples.ts';
import { keyView } from './views.ts';

export const setSpendingCap = endpoint({
  parsesItself: true,
  operationId: 'setSpendingCap',
  method: 'POST',
  path: '/admin/keys/:id/spending-cap',
  summary: 'Set the spending cap of a key',
  description:
    'A create that would exceed the cap returns 402. Reservations count until they are refunded, ' +
    'and so does what the key has already used in the period.',
  auth: 'member',
  role: 'owner',
  requiresConfirmation: true,
  body: SetSpendingCapRequest,
  requestExamples: {
    daily: ['500 credits per day', { spending_cap: { credits: 500, period: 'day' } }],
    none: ['No cap', { spending_cap: null }],
  },
  responses: {
    200: {
      description: 'The key with its cap.',
      schema: ApiKey,
      examples: { capped: ['With a cap', apiKey] },
    },
  },
  errors: { invalid_request: 'spending_cap.credits must be at least 0 (got -5)' },
  async handler({ lifecycle: { db } }, { params, body, actor, transaction }) {
    const { spending_cap } = parseBody(SetSpendingCapRequest, body);
    const keyId = params.id!;
    const [key] = await findKeys(db, [keyId]);
    if (!key) throw new ApiError('not_found', 'No API key found with this ID.');
    const spending = await transaction(async (tx) => {
      const changed = await setCap(tx, key, spending_cap);
      const detail = { spending_cap };
      await recordAudit(tx, { actor, action: 'key.spending_cap', subject: keyId, detail });
      return changed;
    });
    const since = new Date(nowMs() - 30 * 86_400_000);
    const credits = await creditsOfKeys(db, { accountId: key.accountId, since });
    return { body: keyView(key, { credits30Days: credits.get(keyId) ?? 0, spending }) };
  },
});
