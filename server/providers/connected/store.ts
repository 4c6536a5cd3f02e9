/**
 * Providers, credentials and routes that administrators entered in the dashboard. Each change
 * notifies every process on the database.
 */
import type { ConnectProviderRequest } from '@vidgen/contract/admin-providers.ts';
import { type ApiError, invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { previewNames } from '../preview/preview.ts';
import type { SealedCredential } from './seal.ts';
import { testSecondsMax } from './test-store.ts';

export const providersChannel = 'vidgen_providers';

/** What is stored of the request; the key is stored encrypted, on its own. */
export type StoredSettings = Omit<ConnectProviderRequest, 'name' | 'api_key' | 'dial'>;

export type StoredCredential = SealedCredential & {
  readonly id: string;
  readonly provider: string;
  readonly lastFour: string;
};

export type SettingsVersion = { readonly version: number; readonly settings: StoredSettings };

export type ConnectedProvider = SettingsVersion & {
  readonly name: string;
  readonly isRemoved: boolean;
  /** For the attempts that were started with them. */
  readonly olderVersions: readonly SettingsVersion[];
  /** Newest first: that one starts new tasks. */
  readonly credentials: readonly StoredCredential[];
};

export type StoredRoutes = Partial<Record<ModelName, readonly string[]>>;

export type Connected = {
  readonly providers: readonly ConnectedProvider[];
  readonly routes: StoredRoutes;
  /** Since when models have no route any more that had one. */
  readonly unroutedSince: Partial<Record<ModelName, Date>>;
};

export async function readConnected(db: Queryable): Promise<Connected> {
  const [found, keys, routes] = await Promise.all([
    db.query<Omit<ConnectedProvider, 'credentials'>>(
      // One statement: an edit moves the settings from one table to the other.
      `select name, settings, version, removed_at is not null as "isRemoved",
         (select coalesce(jsonb_agg(jsonb_build_object('version', v.version,
            'settings', v.settings) order by v.version desc), '[]')
          from provider_versions v where v.provider = p.name) as "olderVersions"
       from connected_providers p order by name`,
    ),
    db.query<StoredCredential>(
      `select id, provider, key_id as "keyId", sealed, last_four as "lastFour"
       from provider_credentials order by created_at desc, id`,
    ),
    db.query<{ model: ModelName; providers: string[]; changedAt: Date }>(
      'select model, providers, changed_at as "changedAt" from provider_routes',
    ),
  ]);
  const credentialsOf = Map.groupBy(keys.rows, ({ provider }) => provider);
  return {
    providers: found.rows.map((one) => ({
      ...one,
      credentials: credentialsOf.get(one.name) ?? [],
    })),
    routes: Object.fromEntries(
      routes.rows.flatMap(({ model, providers }) =>
        providers.length > 0 ? [[model, providers]] : [],
      ),
    ),
    unroutedSince: Object.fromEntries(
      routes.rows.flatMap(({ model, providers, changedAt }) =>
        providers.length > 0 ? [] : [[model, changedAt]],
      ),
    ),
  };
}

export async function insertProvider(
  tx: Transaction,
  provider: {
    readonly name: string;
    readonly settings: StoredSettings;
    readonly createdBy: string;
  },
): Promise<void> {
  const { name, settings, createdBy } = provider;
  const { rowCount } = await tx.query(
    `insert into connected_providers (name, settings, created_by) values ($1, $2::jsonb, $3)
     on conflict (name) do nothing`,
    [name, JSON.stringify(settings), createdBy],
  );
  if (rowCount === 0) {
    throw invalidRequest(
      `The name ${name} is taken, also while a removed provider finishes its tasks.`,
    );
  }
  await notify(tx);
}

/** Attempts that were started with the settings until now are finished with them. */
export async function updateSettings(
  tx: Transaction,
  { name, settings }: { readonly name: string; readonly settings: StoredSettings },
): Promise<void> {
  await tx.query(
    `with replaced as (
       insert into provider_versions (provider, version, settings)
       select name, version, settings from connected_providers where name = $1)
     update connected_providers set settings = $2::jsonb, version = version + 1 where name = $1`,
    [name, JSON.stringify(settings)],
  );
  await notify(tx);
}

/** Undefined if no provider with this name is connected in the dashboard. */
export async function findSettings(
  db: Queryable,
  name: string,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<StoredSettings | undefined> {
  const { rows } = await db.query<{ settings: StoredSettings }>(
    `select settings from connected_providers where name = $1 and removed_at is null
     ${lock ? 'for update' : ''}`,
    [name],
  );
  return rows[0]?.settings;
}

/** Locks the provider. Throws `not_found` if it is not connected in the dashboard any more. */
export async function requireConnected(tx: Transaction, name: string): Promise<StoredSettings> {
  const settings = await findSettings(tx, name, { lock: true });
  if (settings) return settings;
  throw notConnected();
}

export const notConnected = (): ApiError =>
  notFound('No provider with this name is connected in the dashboard.');

export async function hasCredential(db: Queryable, provider: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from provider_credentials where provider = $1 limit 1',
    [provider],
  );
  return rowCount === 1;
}

export async function insertCredential(tx: Transaction, stored: StoredCredential): Promise<void> {
  const { id, provider, keyId, sealed, lastFour } = stored;
  await tx.query(
    `insert into provider_credentials (id, provider, key_id, sealed, last_four)
     values ($1, $2, $3, $4, $5)`,
    [id, provider, keyId, sealed, lastFour],
  );
  await notify(tx);
}

/** Takes it out of every route. It stays until `deleteRemoved`, for the tasks that it has. */
export async function markRemoved(tx: Transaction, name: string): Promise<void> {
  await requireConnected(tx, name);
  await tx.query('update connected_providers set removed_at = now() where name = $1', [name]);
  await tx.query(
    `update provider_routes set providers = array_remove(providers, $1), changed_at = now()
     where $1 = any(providers)`,
    [name],
  );
  await notify(tx);
}

/** Without providers, the model has no route of its own. */
export async function replaceRoute(
  tx: Transaction,
  { model, providers }: { readonly model: ModelName; readonly providers: readonly string[] },
): Promise<void> {
  if (providers.length > 0) {
    await tx.query(
      `insert into provider_routes (model, providers) values ($1, $2::text[])
       on conflict (model) do update set providers = excluded.providers, changed_at = now()`,
      [model, providers],
    );
  } else {
    // Tasks that were meant for the preview stay with it.
    await tx.query(
      `delete from provider_routes
       where model = $1 and providers <> '{}' and providers <@ $2::text[]`,
      [model, previewNames],
    );
    await tx.query(
      `update provider_routes set providers = '{}', changed_at = now()
       where model = $1 and providers <> '{}'`,
      [model],
    );
  }
  await notify(tx);
}

/** Longer than a process that has not learned of the removal can take to start a task. */
const removedSeconds = 120;

/** What attempts store of the provider that started them. */
export const attemptCredential = (credential: string | undefined, version: number) =>
  version === 1 ? credential : `${credential ?? ''}@${version}`;

/**
 * Deletes removed providers with their credentials, and credentials and settings that were
 * replaced, except those that are `used` by open attempts. Test videos may use replaced settings.
 */
export async function deleteRemoved(
  db: Queryable,
  used: readonly { readonly provider: string; readonly credential: string | null }[],
): Promise<void> {
  const names = used.map(({ provider }) => provider);
  const parts = used.map(({ credential }) => (credential ?? '').split('@'));
  const credentials = parts.map(([id]) => id);
  const versions = parts.map(([, version = '1']) => Number(version));
  const isOld = (column: string, seconds = removedSeconds) =>
    `${column} < now() - make_interval(secs => ${seconds})`;
  await db.query(
    `delete from connected_providers where ${isOld('removed_at')} and not (name = any($1::text[]))`,
    [names],
  );
  await db.query(
    `delete from provider_credentials c where not (c.id = any($1::text[]))
       and exists (select from provider_credentials newer where newer.provider = c.provider
         and newer.created_at > c.created_at and ${isOld('newer.created_at')})`,
    [credentials],
  );
  await db.query(
    `delete from provider_versions v where ${isOld('replaced_at', testSecondsMax + removedSeconds)}
       and not exists (select from unnest($1::text[], $2::int[]) u (provider, version)
         where u.provider = v.provider and u.version = v.version)`,
    [names, versions],
  );
}

async function notify(tx: Transaction): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [providersChannel, '']);
}
