/**
 * Keeps the providers of this process equal to those in the database. A provider that did not
 * change is not created again.
 */
import { randomBytes } from 'node:crypto';
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { FollowedRows } from '../../database/followed-rows.ts';
import { startInterval } from '../../process/clock.ts';
import { type Log, registerSecret } from '../../telemetry/log.ts';
import { limitsOf, type ProviderSettings, upstreamUrl } from '../kinds.ts';
import type { Provider } from '../provider.ts';
import type { ConnectedSet, Registry } from '../registry.ts';
import type { ReadCredential } from '../settings.ts';
import { createUpstream } from '../toolkit/upstream.ts';
import { type CredentialSeal, createCredentialSeal } from './seal.ts';
import { type Presets, resolveSettings } from './settings.ts';
import {
  attemptCredential,
  type ConnectedProvider,
  deleteRemoved,
  providersChannel,
  readConnected,
  type SettingsVersion,
  type StoredCredential,
  type StoredRoutes,
  type StoredSettings,
} from './store.ts';

const cleanUpMs = 60_000;
const dialMsMax = 5_000;

/** A connected provider as administrators see it. */
export type ConnectedView = {
  readonly name: string;
  readonly kind: ProviderSettings['kind'];
  readonly baseUrl: string | null;
  readonly lastFour: string | null;
  readonly isRemoved: boolean;
  /** Why it gets no tasks, although it was not removed; else null. */
  readonly problem: string | null;
};

export type ConnectionsOptions = {
  readonly db: Database;
  readonly log: Log;
  /** 256 bits of the installation, for nothing else. */
  readonly key: Buffer;
  readonly presets: Presets;
  readonly registry: Registry;
  readonly create: (
    name: string,
    settings: ProviderSettings,
    read: ReadCredential,
  ) => Promise<readonly Provider[]>;
  /** The credentials of open attempts, which must not be deleted. */
  readonly findUsed: (db: Queryable) => Promise<Parameters<typeof deleteRemoved>[1]>;
};

type Loaded = {
  readonly view: ConnectedView;
  readonly providers: readonly Provider[];
  readonly limits: ReturnType<typeof limitsOf>;
};

export class ProviderConnections {
  readonly #options: ConnectionsOptions;
  readonly #seal: CredentialSeal;
  /** By what they were made of. */
  readonly #created = new Map<string, Promise<readonly Provider[]>>();
  readonly #rows = new FollowedRows(() => this.#read());
  #stop = async (): Promise<void> => {};
  #announce: () => Promise<void> = async () => {};
  #views: readonly ConnectedView[] = [];
  #routes: ConnectedSet['routes'] = {};
  #readText = '';

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#seal = createCredentialSeal(options.key);
  }

  /** Follows changes. `announce` tells the other processes what this one can do. */
  async start(announce: () => Promise<void>): Promise<void> {
    const { db, log, findUsed } = this.#options;
    this.#announce = announce;
    const cleanUp = async () => {
      await findUsed(db)
        .then((used) => deleteRemoved(db, used))
        .catch((error) => log.warn({ error }, 'removed providers not deleted, retrying'));
    };
    const onError = (error: Error) => log.warn({ error }, 'providers not read, retrying');
    const unfollow = await this.#rows.follow(db, { channel: providersChannel, onError });
    const timer = startInterval(cleanUpMs, cleanUp);
    this.#stop = async () => {
      timer.stop();
      await unfollow();
    };
  }

  async close(): Promise<void> {
    await this.#stop();
  }

  get presets(): Presets {
    return this.#options.presets;
  }

  list(): readonly ConnectedView[] {
    return this.#views;
  }

  /** Reads the database after this call, never a read that is already under way. */
  refresh(): Promise<void> {
    return this.#rows.refresh();
  }

  /** Throws `invalid_request` if a provider cannot be created from the settings. */
  async requireValid(name: string, stored: StoredSettings, hasKey: boolean): Promise<void> {
    const { presets, create } = this.#options;
    const credentials = hasKey ? ['new'] : [];
    const resolved = resolveSettings(stored, { presets, credentials });
    if ('problem' in resolved) throw invalidRequest(resolved.problem);
    const created = await create(name, resolved.settings, () => () => '').catch((error: Error) => {
      throw invalidRequest(error.message);
    });
    await Promise.all(created.map((provider) => provider.close?.()));
    if (created[0]?.models?.length === 0) {
      throw invalidRequest('models must have at least one model');
    }
  }

  /** Throws `invalid_request` if no server answers at the address that `settings` name. */
  async requireAnswer(
    settings: Partial<Pick<StoredSettings, 'base_url' | 'declaration'>>,
  ): Promise<void> {
    const { base_url: given, declaration } = settings;
    const baseUrl = given ?? declaration?.baseUrl;
    // What is no URL is reported with everything else that is wrong.
    if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return;
    const upstream = createUpstream({ baseUrl });
    const call = { method: 'GET', path: '', timeoutMs: dialMsMax, bodyBytesMax: 1024 } as const;
    const outcome = await upstream.call(call);
    await upstream.close();
    if (outcome.kind === 'response') return;
    const field = given === undefined ? 'declaration.baseUrl' : 'base_url';
    const rule = 'must lead to a server that answers';
    throw invalidRequest(`${field} ${rule} (got ${outcome.detail})`);
  }

  /** Encrypts a key for a provider. */
  sealKey(provider: string, apiKey: string): StoredCredential {
    const id = `db_${randomBytes(12).toString('hex')}`;
    // Four of a short key would be most of it.
    const lastFour = apiKey.length < 12 ? '' : apiKey.slice(-4);
    return { id, provider, lastFour, ...this.#seal.seal(apiKey, sealedName(provider, id)) };
  }

  async #read(): Promise<void> {
    const { db, registry } = this.#options;
    const read = await readConnected(db);
    const text = JSON.stringify(read);
    if (text === this.#readText) return;
    const loaded = await Promise.all(read.providers.map((one) => this.#load(one)));
    const usable = loaded.filter(({ view }) => !view.isRemoved && view.problem === null);
    const connected = {
      providers: Object.fromEntries(
        loaded
          .filter(({ providers }) => providers.length > 0)
          .map(({ view, providers }) => [view.name, providers]),
      ),
      limits: Object.fromEntries(loaded.map(({ view, limits }) => [view.name, limits])),
      unroutedSince: read.unroutedSince,
    };
    const unusable = new Set(
      loaded.filter((one) => !usable.includes(one)).map(({ view }) => view.name),
    );
    const routes = withoutNames(read.routes, unusable);
    // Other processes learn that this one can poll a provider before it starts tasks there.
    registry.setConnected({
      ...connected,
      providers: startingAsBefore(connected.providers, registry),
      routes: withoutNames(this.#routes, unusable),
    });
    await this.#announce();
    registry.setConnected({ ...connected, routes });
    this.#routes = routes;
    this.#views = loaded.map(({ view }) => view);
    this.#readText = text;
    await this.#announce();
  }

  async #load(connected: ConnectedProvider): Promise<Loaded> {
    const { presets, log } = this.#options;
    const { name, settings: stored, isRemoved, credentials, olderVersions } = connected;
    const ids = credentials.map(({ id }) => id);
    const resolved = resolveSettings(stored, { presets, credentials: ids });
    const view = { name, kind: stored.kind, isRemoved, lastFour: credentials[0]?.lastFour ?? null };
    if ('problem' in resolved) {
      log.error({ provider: name, problem: resolved.problem }, 'connected provider not usable');
      const { problem } = resolved;
      return { view: { ...view, baseUrl: null, problem }, providers: [], limits: {} };
    }
    const { settings } = resolved;
    // Attempts without a key stay without one at the address that they were started at.
    const older = olderVersions.flatMap((version) => [
      this.#create(connected, version, ids),
      ...(ids.length > 0 ? [this.#create(connected, version, [])] : []),
    ]);
    const created = await Promise.all([this.#create(connected, connected, ids), ...older]);
    const isLocked = credentials[0] !== undefined && credentials[0].keyId !== this.#seal.keyId;
    const problem = isLocked ? lockedProblem : null;
    return {
      view: { ...view, baseUrl: upstreamUrl(settings), problem },
      providers: created.flat(),
      limits: limitsOf(settings),
    };
  }

  /** One for each credential, or one without; none if the settings need one, or are too old. */
  async #create(
    connected: ConnectedProvider,
    { version, settings: stored }: SettingsVersion,
    credentials: readonly string[],
  ): Promise<readonly Provider[]> {
    const { presets, create } = this.#options;
    const { name } = connected;
    const cacheKey = JSON.stringify([name, version, stored, credentials]);
    const known = this.#created.get(cacheKey);
    if (known) return await known;
    const resolved = resolveSettings(stored, { presets, credentials });
    if ('problem' in resolved) return [];
    const creating = create(name, resolved.settings, this.#credentialReader(connected));
    const labelled = creating.then((providers) =>
      providers.map((provider) => {
        const credential = attemptCredential(provider.credential, version);
        return credential === undefined ? provider : { ...provider, credential };
      }),
    );
    this.#created.set(cacheKey, labelled);
    return await labelled;
  }

  /** Decrypts when the key is used, so that no object that could be logged contains it. */
  #credentialReader({ name, credentials }: ConnectedProvider): ReadCredential {
    return ({ env }) => {
      let value: string | undefined;
      return () => {
        if (value !== undefined) return value;
        const stored = credentials.find(({ id }) => id === env);
        if (!stored) throw new Error(`the provider ${name} has no credential ${env}`);
        value = this.#seal.open(stored, sealedName(name, stored.id));
        registerSecret(value);
        return value;
      };
    };
  }
}

const lockedProblem =
  'The API key was saved with another VIDGEN_SECRET. Replace the key, or start with that secret.';

const sealedName = (provider: string, id: string): string => `${provider} ${id}`;

/** The same providers; of each name, first the one that takes new tasks now. */
function startingAsBefore(
  providers: ConnectedSet['providers'],
  registry: Registry,
): ConnectedSet['providers'] {
  return Object.fromEntries(
    Object.entries(providers).map(([name, list]) => {
      const starting = registry.get(name)?.credential;
      const isStarting = ({ credential }: Provider) => Number(credential === starting);
      return [name, list.toSorted((one, other) => isStarting(other) - isStarting(one))];
    }),
  );
}

function withoutNames(
  routes: StoredRoutes | ConnectedSet['routes'],
  names: ReadonlySet<string>,
): Partial<Record<ModelName, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(routes).map(([model, steps]) => [
      model,
      (steps as readonly string[]).filter((name) => !names.has(name)),
    ]),
  );
}
