/** The order of the providers in a route. */
import type { ListProvidersResponse, ProviderRoute } from '@vidgen/contract/admin-providers.ts';

export type Position = 'first' | 'last' | 'none';

export const previewName = 'preview';

/** Where the provider is in a route from the dashboard; null in a route that nobody set. */
export function positionIn({ providers, source }: ProviderRoute, name: string): Position | null {
  if (source === 'default') return null;
  const at = providers.indexOf(name);
  return at < 0 ? 'none' : at === 0 ? 'first' : 'last';
}

/**
 * A route that nobody set has the preview only because there was no provider. A provider that has
 * this position keeps its place.
 */
export function withProvider(route: ProviderRoute, name: string, position: Position): string[] {
  const { providers, source } = route;
  if (positionIn(route, name) === position) return [...providers];
  const others = (source === 'default' ? [] : providers).filter((other) => other !== name);
  if (position === 'none') return others;
  return position === 'first' ? [name, ...others] : [...others, name];
}

/** What removing a provider does to live tasks of the models that only it serves. */
export function removalNote(
  { items, routes }: Pick<ListProvidersResponse, 'items' | 'routes'>,
  name: string,
): string | null {
  const models = routes
    .filter(({ providers }) => providers.includes(name) && providers.every((one) => one === name))
    .map(({ model }) => model);
  if (models.length === 0) return null;
  // The preview stands in only where no provider is in vidgen.config.ts.
  const newTasks = items.some(({ source }) => source === 'file')
    ? 'New live tasks are rejected'
    : 'New live tasks are made by the preview and still charged';
  const verb = models.length === 1 ? 'has' : 'have';
  return (
    `${new Intl.ListFormat('en').format(models)} ${verb} no other provider. ${newTasks}; ` +
    'waiting ones fail and are refunded.'
  );
}
