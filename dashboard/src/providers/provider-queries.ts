/** The queries of the Providers page. */
import { queryOptions } from '@tanstack/react-query';
import type { ListProviderPresetsResponse } from '@vidgen/contract/admin-presets.ts';
import type { ListProvidersResponse, ProviderTest } from '@vidgen/contract/admin-providers.ts';
import { invalidate, polled, resource } from '../api/client.ts';

/** They change with the version of the service. */
export const presetsQuery = {
  ...resource<ListProviderPresetsResponse>('/admin/providers/presets'),
  staleTime: 3_600_000,
};

export const providersQuery = polled<ListProvidersResponse>('/admin/providers', 15_000);

const testRefetchMs = 1500;

/** Reading a test also makes the service poll the provider. */
export const providerTestQuery = (id: string) =>
  queryOptions({
    ...resource<ProviderTest>(`/admin/provider-tests/${id}`),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.state !== 'running' ? false : testRefetchMs,
  });

/** Updates cards, routes, the banner, and what the playground says about models. */
export async function refetchProviders(): Promise<void> {
  await invalidate('/admin/providers', '/admin/summary', '/admin/models');
}

const builtInNames: Readonly<Record<string, string>> = {
  preview: 'Preview',
  'test-preview': 'Test preview',
};

/** The name of a provider: operators name theirs, the built-in ones have names of the service. */
export const providerName = (name: string): string => builtInNames[name] ?? name;
