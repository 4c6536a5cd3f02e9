/** Runs the five invariant checks over all rows, or over the new ones. */
import { AuditQuery, AuditResponse } from '@vidgen/contract/admin-audit.ts';
import { checkInvariants as checkLedgerInvariants } from '../../lifecycle/checks/invariants.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';

export const checkInvariants = endpoint({
  parsesItself: true,
  operationId: 'auditBooks',
  method: 'GET',
  path: '/admin/audit',
  summary: 'Check the integrity of all data',
  description: 'Reads every row, in slices. Meant for operators, not for frequent monitoring.',
  auth: 'admin',
  secondsMax: 900,
  query: AuditQuery,
  responses: {
    200: {
      description: 'Whether each invariant holds.',
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
  async handler({ lifecycle }, { query }) {
    const { scope } = parseQuery(AuditQuery, query);
    return { body: await checkLedgerInvariants(lifecycle.db, { scope }) };
  },
});
