/** Returns how people sign in here, for the pages before the sign-in. */
import { SignInMethodsResponse } from '@vidgen/contract/sign-in.ts';
import { endpoint } from '../http/endpoint.ts';

export const listSignInMethods = endpoint({
  operationId: 'listSignInMethods',
  method: 'GET',
  path: '/session/methods',
  summary: 'Get sign-in methods',
  auth: 'none',
  responses: {
    200: {
      description: 'Beside a password.',
      schema: SignInMethodsResponse,
      examples: { one: ['A provider', { openid: { name: 'Example' }, sends_mail: true }] },
    },
  },
  async handler({ openid, messages }) {
    const provider = openid && { name: openid.settings.name };
    return { body: { openid: provider, sends_mail: messages.mailer !== null } };
  },
});
