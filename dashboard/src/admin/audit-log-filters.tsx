/** The toolbar of the audit log: target, person, action, account and days. */
import { Select } from '@mantine/core';
import type { ListPeopleResponse } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { CollapsibleFilters, MoreFilters } from '../components/collapsible-filters.tsx';
import { DayRange } from '../components/day-range.tsx';
import { chipsOf, type FilterChip, FilterChips } from '../components/filter-chips.tsx';
import { RemoteSelect } from '../components/remote-select.tsx';
import { SearchInput } from '../components/search-input.tsx';
import { AccountSelect, useKnownAccount } from './account-link.tsx';
import { actionFilterLabel, actionOptions } from './audit-entry.ts';
import type { AuditLogSearch } from './audit-log-search.ts';

type Props = {
  readonly search: AuditLogSearch;
  set(part: { [Name in keyof AuditLogSearch]?: AuditLogSearch[Name] | undefined }): void;
  clear(): void;
};

export function AuditLogFilters({ search, set, clear }: Props): ReactNode {
  const chips = useChips({ search, set });
  return (
    <>
      <SearchInput
        label="Target"
        placeholder="Account, key or task ID"
        value={search.subject}
        onChange={(subject) => set({ subject })}
      />
      <CollapsibleFilters count={chips.length}>
        <RemoteSelect
          label="Actor"
          placeholder="Anyone"
          value={search.actor}
          valueLabel={search.actor}
          onChange={(actor) => set({ actor })}
          queryKey={keys.adminPart('people', 'select')}
          load={loadActors}
        />
        <Select
          size="xs"
          w={170}
          aria-label="Action"
          placeholder="Any action"
          searchable
          clearable
          data={actionOptions}
          value={search.action ?? null}
          onChange={(action) => set({ action: action ?? undefined })}
        />
        <AccountSelect value={search.account} onChange={(account) => set({ account })} />
        <MoreFilters>
          <DayRange range={search} set={set} />
        </MoreFilters>
      </CollapsibleFilters>
      <FilterChips chips={chips} clear={clear} />
    </>
  );
}

/** Actors that are no person come first. */
const programs = ['admin token', 'vidgen'];

async function loadActors(q: string) {
  const query = { limit: 20, sort: 'name', ...(q === '' ? {} : { q }) };
  const { items } = await get<ListPeopleResponse>('/admin/people', query);
  const people = items.map(({ email, name }) => ({ value: email, label: `${name} (${email})` }));
  const others = programs
    .filter((program) => program.includes(q.toLowerCase()))
    .map((program) => ({ value: program, label: program }));
  return [...others, ...people];
}

function useChips({ search, set }: Pick<Props, 'search' | 'set'>): FilterChip[] {
  const account = useKnownAccount(search.account);
  const { subject, actor, action, from, until } = search;
  const values = {
    subject: ['Target', subject],
    actor: ['Actor', actor],
    action: ['Action', action && actionFilterLabel(action)],
    account: ['Account', search.account && (account?.name ?? search.account)],
    from: ['From', from],
    until: ['To', until],
  } as const;
  return chipsOf(values, set);
}
