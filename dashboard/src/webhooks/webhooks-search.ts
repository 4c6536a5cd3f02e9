/** The search parameters of the webhooks page. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import type { Delivery } from '@vidgen/contract/admin-tasks.ts';

export const deliveryStatuses: readonly Delivery['status'][] = [
  'pending',
  'delivered',
  'exhausted',
];

type WebhooksSearch = { readonly status?: Delivery['status'] };

export function webhooksSearch(
  search: Partial<WebhooksSearch> & SearchSchemaInput,
): WebhooksSearch {
  const status = deliveryStatuses.find((one) => one === search.status);
  return status ? { status } : {};
}
