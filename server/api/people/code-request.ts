/** What the endpoints share that take a code of the second factor. */
import { CodeRequest, RecoveryCodesResponse } from '@vidgen/contract/sign-in.ts';
import type { PersonIdentity } from '../../accounts/people/person.ts';
import type { Transaction } from '../../database/database.ts';
import type { EndpointDefinition, ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { parseBody } from '../http/parse-request.ts';
import { authenticateCode } from './authenticate-code.ts';
import { code, recoveryCodes, tooManyPasswords, wrongCode } from './samples.ts';
import { requireSession } from './session-response.ts';

export const codeRequest = {
  body: CodeRequest,
  requestExamples: { one: ['A code of the app', { code }] },
  errors: {
    invalid_request: 'code is required',
    invalid_api_key: wrongCode,
    rate_limited: tooManyPasswords,
  },
} as const satisfies Partial<EndpointDefinition>;

export const recoveryCodesDescription = (description: string): ResponseDescription => ({
  description,
  schema: RecoveryCodesResponse,
  examples: { one: ['Ten codes', recoveryCodes] },
});

/** Runs `work` for the signed-in person, in the transaction that uses up the code they sent. */
export async function withCode<T>(
  services: ApiServices,
  request: ApiRequest,
  work: (tx: Transaction, person: PersonIdentity) => Promise<T>,
): Promise<T> {
  const { person, session } = requireSession(request);
  const { code: sent } = parseBody(CodeRequest, request.body);
  const attempt = { personId: person.id, sessionId: session.id };
  const proof = await authenticateCode(services, { person, code: sent, attempt });
  return await request.transaction(async (tx) => {
    await proof.accept(tx);
    return await work(tx, person);
  });
}
