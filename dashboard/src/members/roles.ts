/** Names and descriptions of the roles in an account. */
import type { AccountRole } from '@vidgen/contract/people.ts';

type RoleText = { readonly name: string; readonly article: string; readonly description: string };

/** In descending order, as in the contract. */
export const roles: Readonly<Record<AccountRole, RoleText>> = {
  owner: {
    name: 'Owner',
    article: 'an',
    description: 'Everything: members, credits, keys, and all that developers may.',
  },
  developer: {
    name: 'Developer',
    article: 'a',
    description: 'Makes videos, creates and revokes keys, cancels tasks, replays webhooks.',
  },
  viewer: {
    name: 'Viewer',
    article: 'a',
    description: 'Looks at everything, and changes nothing.',
  },
};
