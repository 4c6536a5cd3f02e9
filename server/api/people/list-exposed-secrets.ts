/**
 * Lists the keys and the webhook secret that former members of an account still know. The owner
 * revokes a key or rotates the secret by the endpoints for that.
 */
import { type ExposedSecret, ListExposedSecretsResponse } from '@vidgen/contract/people.ts';
import { getAccount } from '../../accounts/account.ts';
import { findExposedKeys, findSecretReaders } from '../../accounts/exposed-secrets.ts';
import { endpoint } from '../http/endpoint.ts';
import { pageOf } from '../http/samples.ts';
import { unixSecondsOrNull } from '../http/timestamps.ts';
import { exposedSecret } from './samples.ts';

export const listExposedSecrets = endpoint({
  operationId: 'listExposedSecrets',
  method: 'GET',
  path: '/admin/accounts/:id/exposed-secrets',
  summary: 'List exposed secrets',
  description:
    'Active keys made by people who are no longer developer or owner, and the webhook secret if ' +
    'such a person could read it. Revoke the keys, and rotate the secret.',
  auth: 'member',
  role: 'owner',
  responses: {
    200: {
      description: 'Keys first. An empty list: nothing to do.',
      schema: ListExposedSecretsResponse,
      examples: { one: ['A key of a removed member', pageOf(exposedSecret)] },
    },
  },
  async handler({ lifecycle: { db } }, request) {
    const { id: accountId } = await getAccount(db, request.params.id!);
    const keys = await findExposedKeys(db, accountId);
    const readers = await findSecretReaders(db, accountId);
    const items: ExposedSecret[] = keys.map((key) => ({
      id: key.id,
      kind: 'api_key',
      people: [key.createdBy],
      key_name: key.name,
      last_four: key.lastFour,
      last_used_at: unixSecondsOrNull(key.lastUsedAt),
    }));
    if (readers.length > 0) items.push(webhookSecretOf(readers));
    return { body: { items, next_cursor: null } };
  },
});

const webhookSecretOf = (people: string[]): ExposedSecret => ({
  id: 'webhook_secret',
  kind: 'webhook_secret',
  people,
  key_name: null,
  last_four: null,
  last_used_at: null,
});
