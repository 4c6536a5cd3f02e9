/** Revokes a redemption code that has not been redeemed. */
import { recordAudit } from '../../accounts/audit-log.ts';
import { revokeCode as revokeCodeRow } from '../../top-ups/codes.ts';
import { endpoint } from '../http/endpoint.ts';

export const revokeCode = endpoint({
  operationId: 'revokeRedemptionCode',
  method: 'DELETE',
  path: '/admin/redemption-codes/:id',
  summary: 'Revoke a redemption code',
  description: 'The code can no longer be redeemed. Credits from earlier redemptions stay.',
  auth: 'admin',
  requiresConfirmation: true,
  responses: { 204: { description: 'Withdrawn.' } },
  errors: { invalid_request: 'This code was already redeemed and can’t be revoked.' },
  async handler(_services, { actor, params, transaction }) {
    await transaction(async (tx) => {
      const { id: subject, status } = await revokeCodeRow(tx, params.id!);
      if (status !== 'revoked') await recordAudit(tx, { actor, action: 'code.revoke', subject });
    });
    return { status: 204 };
  },
});
