/** What the command palette finds on the service: accounts, people and tasks. */
import { useDebouncedValue } from '@mantine/hooks';
import type { SpotlightActionData } from '@mantine/spotlight';
import { CubeIcon, PersonIcon, PlayIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ListPeopleResponse } from '@vidgen/contract/people.ts';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { useAccountId, useSession } from '../api/session.ts';
import { statusLabels } from '../components/value-labels.ts';

const pauseMs = 200;
const lengthMin = 2;
const foundMax = 5;

type Found = {
  readonly accounts: ListAccountsResponse['items'];
  readonly people: ListPeopleResponse['items'];
  readonly tasks: readonly AdminTask[];
};
const nothing: Found = { accounts: [], people: [], tasks: [] };

/** Administrators search the installation, others the tasks of the current account. */
export function usePaletteSearch(query: string): {
  readonly isSearching: boolean;
  readonly actions: SpotlightActionData[];
} {
  const { person } = useSession();
  const account = useAccountId();
  const navigate = useNavigate();
  const [q] = useDebouncedValue(query.trim().slice(0, 200), pauseMs);
  // While typing goes on, nothing is shown that belongs to an earlier text.
  const isCurrent = q === query.trim().slice(0, 200);
  const canSearch = person.administrator || account !== null;
  const isEnabled = canSearch && q.length >= lengthMin;
  const { data, isFetching } = useQuery({
    queryKey: keys.adminPart('palette', person.administrator ? null : account, q),
    queryFn: () => (person.administrator ? searchInstallation(q) : searchAccount(account ?? '', q)),
    enabled: isEnabled,
    retry: false,
  });
  const { accounts, people, tasks } = (isEnabled && isCurrent && data) || nothing;
  // The palette filters what it is given: what was found matches, whatever its label is.
  const keywords = query;
  return {
    isSearching: canSearch && query.trim().length >= lengthMin && (isFetching || !isCurrent),
    actions: [
      ...accounts.map(({ id, name }) => ({
        id: `account-${id}`,
        label: name,
        description: 'Account',
        keywords,
        leftSection: <CubeIcon aria-hidden />,
        onClick: () => void navigate({ to: '/operator/accounts/$id', params: { id } }),
      })),
      ...people.map(({ id, name, email }) => ({
        id: `person-${id}`,
        label: name,
        description: `Person, ${email}`,
        keywords,
        leftSection: <PersonIcon aria-hidden />,
        onClick: () => void navigate({ to: '/operator/people', search: { q: email } }),
      })),
      ...tasks.map(({ id, prompt, status }) => ({
        id: `task-${id}`,
        label: prompt.length > 80 ? `${prompt.slice(0, 80)}…` : prompt || id,
        description: `Task, ${statusLabels[status].toLowerCase()}`,
        keywords,
        leftSection: <PlayIcon aria-hidden />,
        onClick: () => void navigate({ to: '/tasks/$task', params: { task: id } }),
      })),
    ],
  };
}

async function searchInstallation(q: string): Promise<Found> {
  const [accounts, people, tasks] = await Promise.all([
    get<ListAccountsResponse>('/admin/accounts', { q, limit: foundMax }),
    get<ListPeopleResponse>('/admin/people', { q, limit: foundMax }),
    get<{ items: readonly AdminTask[] }>('/admin/tasks', { q, limit: foundMax }),
  ]);
  return { accounts: accounts.items, people: people.items, tasks: tasks.items };
}

async function searchAccount(account: string, q: string): Promise<Found> {
  const path = `/admin/accounts/${account}/tasks`;
  const { items } = await get<{ items: readonly AdminTask[] }>(path, { q, limit: foundMax });
  return { ...nothing, tasks: items };
}
