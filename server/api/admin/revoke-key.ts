/** Revokes an API key: immediately in this process, within 5 seconds in all others. */

import { recordAudit } from '../../accounts/audit-log.ts';
import { revokeKey as revokeKeyRow } from '../../accounts/keys/api-key.ts';
import { endpoint } from '../http/endpoint.ts';

export const revokeKey = endpoint({
  operationId: 'revokeKey',
  method: 'DELETE',
  path: '/admin/keys/:id',
  summary: 'Revoke an API key',
  description: 'The key is rejected by this process at once, and everywhere within 5 seconds.',
  auth: 'member',
  role: 'developer',
  responses: { 204: { description: 'The key is revoked.' } },
  async handler({ keys }, { params, actor, transaction }) {
    const keyId = params.id!;
    await transaction(async (tx) => {
      await revokeKeyRow(tx, keyId);
      await recordAudit(tx, { actor, action: 'key.revoke', subject: keyId });
    });
    keys.invalidate(keyId);
    return { status: 204 };
  },
});
