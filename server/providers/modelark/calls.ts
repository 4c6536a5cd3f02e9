/**
 * ModelArk's endpoints. GET is limited to 20 calls per second and LIST to one, for the whole
 * account, so both wait for a throttle or return when to try again.
 */
import { createThrottle } from '../toolkit/call-throttle.ts';
import { type ClientOptions, createClient, type ReadTurn } from '../toolkit/client.ts';

export type ModelArkCalls = ReturnType<typeof createModelArkCalls>;

const tasksPath = '/contents/generations/tasks';
const listWaitMsMax = 30_000;

export function createModelArkCalls(options: ClientOptions & { readonly listPerSecond?: number }) {
  // The upstream downloads the materials before it responds, which can take tens of seconds.
  const { createTimeoutMs = 90_000, getPerSecond = 20 } = options;
  const client = createClient({ ...options, getPerSecond });
  // Slightly slower than the limit, because calls can travel at different speeds.
  const listThrottle = createThrottle({ perSecond: options.listPerSecond ?? 0.9 });

  return {
    createTimeoutMs,
    getPerSecond,
    create: (body: unknown, reference: string) =>
      client.call('POST', tasksPath, {
        body,
        // Helps the vendor's support; does not prevent duplicates.
        headers: { 'x-client-request-id': reference },
        timeoutMs: createTimeoutMs,
      }),
    get: (operation: string, turn?: ReadTurn) => client.read(taskPath(operation), turn),
    list: (query: URLSearchParams) =>
      client.read(`${tasksPath}?${query}`, { throttle: listThrottle, waitMsMax: listWaitMsMax }),
    /** For the status batcher, which waits for the throttles itself. */
    throttles: { get: client.throttle, list: listThrottle },
    getUnthrottled: (operation: string, signal: AbortSignal) =>
      client.call('GET', taskPath(operation), { signal }),
    listUnthrottled: (query: URLSearchParams) => client.call('GET', `${tasksPath}?${query}`),
    /** Stops a queued task, but erases a finished one: check the status first. */
    delete: (operation: string) => client.call('DELETE', taskPath(operation)),
    close: client.close,
  };
}

const taskPath = (operation: string) => `${tasksPath}/${encodeURIComponent(operation)}`;
