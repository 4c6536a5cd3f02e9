/** Creates up to 1,000 redemption codes. Only their digests are stored. */
import { CreateCodesRequest, CreatedCodes } from '@vidgen/contract/top-ups.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { createCodes as createCodeRows } from '../../top-ups/codes.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { parseExpiry } from '../http/timestamps.ts';
import { codePepper, codeView } from './code-views.ts';
import { code, redemptionCode } from './samples.ts';

export const createCodes = endpoint({
  parsesItself: true,
  operationId: 'createRedemptionCodes',
  method: 'POST',
  path: '/admin/redemption-codes',
  summary: 'Create redemption codes',
  description: 'Creates up to 1,000 codes of the same kind. Only this response contains the codes.',
  auth: 'admin',
  requiresConfirmation: true,
  body: CreateCodesRequest,
  requestExamples: {
    workshop: [
      'Thirty codes for a workshop',
      { amount: 500, mode: 'live', count: 30, note: 'Workshop in March' },
    ],
  },
  responses: {
    201: {
      description: 'The codes.',
      schema: CreatedCodes,
      examples: { made: ['One of them', { items: [{ ...redemptionCode, code }] }] },
    },
  },
  errors: { invalid_request: 'count must be at most 1000 (got 2000)' },
  async handler(services, { body, actor, transaction }) {
    const { expires_at, ...options } = parseBody(CreateCodesRequest, body);
    const expiresAt = parseExpiry(expires_at);
    const created = await transaction(async (tx) => {
      const pepper = codePepper(services);
      const rows = await createCodeRows(tx, { ...options, expiresAt, createdBy: actor, pepper });
      const detail = { ...options, expires_at: expiresAt };
      await recordAudit(tx, { actor, action: 'codes.create', subject: rows[0]!.id, detail });
      return rows;
    });
    const items = created.map((row) => ({ ...codeView(row), code: row.code }));
    return { status: 201, body: { items } };
  },
});
