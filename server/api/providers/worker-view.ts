/** GPU boxes as JSON, for administrators. */
import type { Worker } from '@vidgen/contract/admin-workers.ts';
import type { Box } from '../../providers/fleet/store.ts';
import { upstreamUrl } from '../../providers/kinds.ts';
import { type BoxFigures, readBoxFigures } from '../../tasks/box-figures.ts';
import type { ApiServices } from '../http/handler.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';

export async function listWorkerViews(services: ApiServices): Promise<Worker[]> {
  const { fleet, fileProviders, connections, lifecycle } = services;
  const providers = [
    ...connections.list().filter(({ name }) => !(name in fileProviders)),
    ...Object.entries(fileProviders).map(([name, one]) => ({ name, baseUrl: upstreamUrl(one) })),
  ];
  const boxes = fleet.list();
  const at = (url: string) => providers.filter(({ baseUrl }) => baseUrl === url);
  const places = boxes.flatMap(({ name: box, label }) => [
    ...at(`tunnel://${box}`).map(({ name: provider }) => ({ box, provider, isPool: false })),
    ...at(`tunnel://@${label}`).map(({ name: provider }) => ({ box, provider, isPool: true })),
  ]);
  const figures = await readBoxFigures(lifecycle.db, places);
  return boxes.map((box) => {
    const names = places.flatMap((place) => (place.box === box.name ? place.provider : []));
    return workerView(box, { names, figures: figures.get(box.name) });
  });
}

function workerView(
  box: Box,
  { names, figures }: { readonly names: string[]; readonly figures: BoxFigures | undefined },
): Worker {
  const { name, label, draining, engine, slots, version, createdAt, lastSeenAt } = box;
  const isDraining = draining || slots === 0;
  const connected = isDraining ? 'draining' : 'connected';
  return {
    name,
    label,
    state: box.addresses.length > 0 ? connected : lastSeenAt === null ? 'new' : 'away',
    draining,
    engine,
    slots,
    version,
    current_tasks: figures?.tasks ?? 0,
    seconds_per_clip: figures?.seconds ?? null,
    providers: names,
    created_at: unixSeconds(createdAt),
    last_seen_at: unixSecondsOrNull(lastSeenAt),
  };
}
