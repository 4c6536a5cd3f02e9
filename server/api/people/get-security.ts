/** Returns how the signed-in person signs in: password, linked provider, second factor. */
import { SecurityResponse } from '@vidgen/contract/sign-in.ts';
import { findIdentity } from '../../accounts/people/identity.ts';
import { readPasswordHash } from '../../accounts/people/person.ts';
import { getSecondFactor } from '../../accounts/people/second-factor.ts';
import { endpoint } from '../http/endpoint.ts';
import { createdAt } from '../http/samples.ts';
import { unixSeconds } from '../http/timestamps.ts';
import { requireSession } from './session-response.ts';

const sample: SecurityResponse = {
  has_password: true,
  openid: { name: 'Example', identity: { email: 'ada@example.com', linked_at: createdAt } },
  second_factor: { enabled_at: createdAt, recovery_codes_left: 9 },
};

export const getSecurity = endpoint({
  operationId: 'getSecurity',
  method: 'GET',
  path: '/session/security',
  summary: 'Get your sign-in settings',
  auth: 'person',
  responses: {
    200: {
      description: 'Password, linked provider and second factor.',
      schema: SecurityResponse,
      examples: { one: ['All of them', sample] },
    },
  },
  async handler({ lifecycle: { db }, openid }, request) {
    const { id: personId } = requireSession(request).person;
    const issuer = openid?.settings.issuer;
    const identity = issuer === undefined ? null : await findIdentity(db, { personId, issuer });
    const factor = await getSecondFactor(db, personId);
    const body: SecurityResponse = {
      has_password: (await readPasswordHash(db, personId, { issuer, lock: false })) !== null,
      openid: openid && {
        name: openid.settings.name,
        identity: identity && {
          email: identity.email,
          linked_at: unixSeconds(identity.linkedAt),
        },
      },
      second_factor: factor && {
        enabled_at: unixSeconds(factor.enabledAt),
        recovery_codes_left: factor.recoveryCodesLeft,
      },
    };
    return { body };
  },
});
