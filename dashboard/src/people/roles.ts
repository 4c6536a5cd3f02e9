/** The roles of an account, in words for people. */
import type { AccountRole } from '@vidgen/contract/people.ts';

type Words = { readonly name: string; readonly article: string; readonly may: string };

/** From the most to the least, as the contract has them. */
export const roles: Readonly<Record<AccountRole, Words>> = {
  owner: {
    name: 'Owner',
    article: 'an',
    may: 'Everything: members, credits, keys, and all that developers may.',
  },
  developer: {
    name: 'Developer',
    article: 'a',
    may: 'Makes videos, creates and revokes keys, cancels tasks, replays webhooks.',
  },
  viewer: { name: 'Viewer', article: 'a', may: 'Looks at everything, and changes nothing.' },
};
