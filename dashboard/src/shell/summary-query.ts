/** What waits for administrators; the navigation and the banner share the request. */
import { queryOptions } from '@tanstack/react-query';
import type { SummaryResponse } from '@vidgen/contract/admin-system.ts';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';

const refetchMs = 30_000;

export const summaryQuery = queryOptions({
  queryKey: keys.adminPart('summary'),
  queryFn: () => get<SummaryResponse>('/admin/summary'),
  refetchInterval: refetchMs,
});
