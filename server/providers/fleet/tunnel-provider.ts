/**
 * A provider whose engine is on a GPU box, or on any box with a label: the adapter of its kind,
 * with connections that the boxes have dialed. In a pool, an operation begins with the name of its
 * box, and stays with it.
 */
import { z } from 'zod';
import type { FindResult, Provider, StartResult, StatusResult } from '../provider.ts';
import type { OpenSocket } from '../toolkit/upstream.ts';
import type { Box } from './store.ts';

const boxName = /^tunnel:\/\/(@?)([a-z][a-z0-9-]{0,31})$/;

export const tunnelUrlRule = {
  error: 'must be an http or https URL, tunnel://<GPU box> or tunnel://@<label>',
};
export const TunnelUrl = z.string().regex(boxName);

export const isTunnelUrl = (url: string | undefined): boolean =>
  url?.startsWith('tunnel:') ?? false;

/** What a provider needs of `Fleet`, and of the tasks. */
export type Boxes = {
  list(): readonly Box[];
  open(name: string): ReturnType<OpenSocket>;
  /** How many open operations of the provider begin with each name. */
  countTasks(provider: string): Promise<ReadonlyMap<string, number>>;
};

type TunnelOptions = {
  readonly name: string;
  readonly kind: 'openai-videos' | 'comfyui';
  readonly baseUrl: string;
  readonly boxes: Boxes;
  /** Creates the adapter. */
  readonly create: (baseUrl: string, openSocket: OpenSocket) => Promise<Provider>;
};

/** How soon a task looks for a box again by itself. */
const retrySeconds = 10;

export async function createTunnelProvider(options: TunnelOptions): Promise<Provider> {
  const [, at = '', name = ''] = boxName.exec(options.baseUrl) ?? [];
  return at === '' ? await createSingle(options, name) : await createPool(options, name);
}

/** The name never resolves (RFC 6761), and is never looked up. */
const engineUrl = ({ kind }: TunnelOptions, box: string): string =>
  `http://${box}.box.invalid${kind === 'openai-videos' ? '/v1' : ''}`;

const createAt = (options: TunnelOptions, box: string): Promise<Provider> =>
  options.create(engineUrl(options, box), () => options.boxes.open(box));

const takesTasks = ({ kind }: TunnelOptions, box: Box): boolean =>
  box.addresses.length > 0 && !box.draining && box.engine === kind;

const slotsOf = (boxes: readonly Box[]): number => boxes.reduce((sum, box) => sum + box.slots, 0);

/** A box that is away is no sign of a fault: tasks wait for it as for a busy provider. */
const waitForBox = (detail: string): StartResult => ({
  outcome: 'throttled',
  retryAfterSeconds: retrySeconds,
  detail,
  busy: true,
});

/** Costs no request. Errors would be retried up to 30 seconds after the box has returned. */
const pollAway: StatusResult = { outcome: 'pending', pollAfterSeconds: 2 };

const isConnected = ({ boxes }: TunnelOptions, name: string): boolean =>
  boxes.list().some((box) => box.name === name && box.addresses.length > 0);

async function createSingle(options: TunnelOptions, name: string): Promise<Provider> {
  const inner = await createAt(options, name);
  const own = () => options.boxes.list().filter((box) => box.name === name);
  return {
    ...inner,
    capacity: () => slotsOf(own().filter((box) => takesTasks(options, box))),
    async start(request) {
      const result = await inner.start(request);
      const isUnreachable = result.outcome === 'throttled' && result.unreachable;
      return isUnreachable && !isConnected(options, name) ? waitForBox(result.detail) : result;
    },
    status: async (request) =>
      isConnected(options, name) ? await inner.status(request) : pollAway,
  };
}

async function createPool(options: TunnelOptions, label: string): Promise<Provider> {
  const { boxes, name: provider } = options;
  const created = new Map<string, Promise<Provider>>();
  const adapterAt = (box: string): Promise<Provider> => {
    const adapter = created.get(box) ?? createAt(options, box);
    created.set(box, adapter);
    return adapter;
  };
  const labeled = () => boxes.list().filter((box) => box.label === label);
  const ready = () => labeled().filter((box) => takesTasks(options, box));
  /** Starts of this process that have no operation yet. */
  const starting = new Map<string, number>();
  const addStarting = (box: string, change: number) =>
    void starting.set(box, (starting.get(box) ?? 0) + change);

  /** Those with a free slot, the freest first. */
  async function freeBoxes(): Promise<string[]> {
    const taken = await boxes.countTasks(provider);
    return ready()
      .map(({ name, slots }) => ({
        name,
        free: slots - (taken.get(name) ?? 0) - (starting.get(name) ?? 0),
      }))
      .filter(({ free }) => free > 0)
      .toSorted((one, other) => other.free - one.free)
      .map(({ name }) => name);
  }

  const start: Provider['start'] = async (request) => {
    let last = waitForBox(`no GPU box with the label ${label} is free`);
    for (const box of await freeBoxes()) {
      addStarting(box, 1);
      try {
        const result = await (await adapterAt(box)).start(request);
        if (result.outcome === 'accepted') {
          return { outcome: 'accepted', operation: `${box}/${result.operation}` };
        }
        // Only with the proof that this box created nothing, another is tried.
        if (result.outcome !== 'throttled') return result;
        last = waitForBox(`${box}: ${result.detail}`);
      } finally {
        addStarting(box, -1);
      }
    }
    return last;
  };

  /** Which box got a start whose response was lost is not known, so all of them are asked. */
  const find: NonNullable<Provider['find']> = async (...request) => {
    let result: FindResult = { outcome: 'unknown', detail: `no GPU box has the label ${label}` };
    for (const { name } of labeled()) {
      const found = await (await adapterAt(name)).find!(...request);
      if (found.outcome === 'found') {
        return { outcome: 'found', operation: `${name}/${found.operation}` };
      }
      if (found.outcome === 'unknown') return found;
      result = found;
    }
    return result;
  };

  const model = await options.create(engineUrl(options, label), async () => {
    throw new Error('a pool has no engine of its own');
  });
  // Callbacks name an operation without its box.
  const { readCallback: _, sharesCallbackUrl: __, ...common } = model;
  return {
    ...common,
    // A start that is repeated could get to another box.
    protection: model.protection === 'look-up' ? 'look-up' : 'none',
    ...(model.find ? { find } : {}),
    capacity: () => slotsOf(ready()),
    start,
    async status(request) {
      const [box, operation] = splitOperation(request.operation);
      if (!isConnected(options, box)) return pollAway;
      return await (await adapterAt(box)).status({ ...request, operation });
    },
    async cancel(given) {
      const [box, operation] = splitOperation(given);
      return await (await adapterAt(box)).cancel(operation);
    },
    async close() {
      const adapters = await Promise.all(created.values());
      await Promise.all([model, ...adapters].map((adapter) => adapter.close?.()));
    },
  };
}

function splitOperation(operation: string): readonly [box: string, operation: string] {
  const at = operation.indexOf('/');
  return [operation.slice(0, at), operation.slice(at + 1)];
}
