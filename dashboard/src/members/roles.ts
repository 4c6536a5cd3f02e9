/** Names and descriptions of the roles in an account. */
import type { AccountRole } from '@vidgen/contract/people.ts';

type RoleText = { readonly name: string; readonly article: string; readonly description: string };

/** In descending order, as in the contract. */
export const roles: Readonly<Record<AccountRole, RoleText>> = {
  owner: {
    name: 'Owner',
    article: 'an',
    description: 'Full access, including members and credits.',
  },
  developer: {
    name: 'Developer',
    article: 'a',
    description: 'Create videos, manage keys, cancel tasks, replay webhooks.',
  },
  viewer: {
    name: 'Viewer',
    article: 'a',
    description: 'Read-only access.',
  },
};
