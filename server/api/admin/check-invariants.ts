/** Runs the five invariant checks over all rows. Too expensive for monitors. */
import { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import { checkInvariants as checkLedgerInvariants } from '../../lifecycle/invariants.ts';
import { endpoint } from '../http/endpoint.ts';

export const checkInvariants = endpoint({
  operationId: 'auditBooks',
  method: 'GET',
  path: '/admin/audit',
  summary: 'Recompute the five invariants',
  description: 'Reads every row there is: for operators, not for a monitor that asks every second.',
  auth: 'admin',
  responses: {
    200: {
      description: 'Whether the books hold, invariant by invariant.',
      schema: AuditResponse,
      examples: {
        sound: [
          'All hold',
          {
            ok: true,
            checks: [
              { name: 'reserved = sum over unsettled tasks', ok: true, checked: 12, offenders: [] },
            ],
          },
        ],
      },
    },
  },
  handler: async ({ lifecycle }) => ({ body: await checkLedgerInvariants(lifecycle.db) }),
});
