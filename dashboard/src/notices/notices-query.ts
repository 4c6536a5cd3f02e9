/** The notices of the signed-in person, and what can be done with them. */
import type { ListNoticesResponse } from '@vidgen/contract/notices.ts';
import { post } from '../api/client.ts';
import { invalidate, queryClient, resource } from '../api/query-client.ts';

const refetchMs = 20_000;
const newestCount = 6;

/** For the bell; refetched while the page is open. */
export const newestNoticesQuery = {
  ...resource<ListNoticesResponse>('/notices', { limit: newestCount }),
  refetchInterval: refetchMs,
};

const refresh = () => invalidate('/notices');

export async function dismissNotice(id: string): Promise<void> {
  await post(`/notices/${id}/dismiss`);
  await refresh();
}

/** Not refetched: what was unread stays marked until the list is opened again. */
export async function markNoticesRead(upTo: string): Promise<void> {
  await post('/notices/read', { up_to: upTo });
  queryClient.setQueryData(newestNoticesQuery.queryKey, (list) => list && { ...list, unread: 0 });
}
