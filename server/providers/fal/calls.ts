/** The calls of fal's queue, authorised, timed and paced. */
import { createPace } from '../pace.ts';
import { createUpstream, type UpstreamOutcome } from '../upstream.ts';

export type FalCallOptions = {
  readonly baseUrl?: string;
  /** Asked for at every call, so that a key can be changed while tasks run. */
  readonly apiKey: () => string;
  readonly createTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  /** Looks at requests a second, by each process. */
  readonly getPerSecond?: number;
};

/** A look at the upstream; `busy` when too many others wait for their turn to look. */
export type Reading = UpstreamOutcome | { readonly kind: 'busy'; readonly waitSeconds: number };

export type FalCalls = {
  readonly baseUrl: string;
  submit(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<UpstreamOutcome>;
  get(path: string, signal?: AbortSignal): Promise<Reading>;
  cancel(path: string): Promise<UpstreamOutcome>;
  close(): Promise<void>;
};

const getWaitMsMax = 5_000;

export function createFalCalls(options: FalCallOptions): FalCalls {
  const baseUrl = options.baseUrl ?? 'https://queue.fal.run';
  const upstream = createUpstream({ baseUrl });
  const timeoutMs = options.readTimeoutMs ?? 20_000;
  const reads = createPace({ perSecond: options.getPerSecond ?? 25 });
  const authorization = () => ({ authorization: `Key ${options.apiKey()}` });

  return {
    baseUrl,
    submit: (path, body, headers) =>
      upstream.call({
        method: 'POST',
        path,
        headers: { ...authorization(), ...headers },
        body,
        timeoutMs: options.createTimeoutMs ?? 60_000,
      }),
    async get(path, signal) {
      const stop = signal ? { signal } : {};
      const turn = await reads.turn({ waitMsMax: getWaitMsMax, ...stop });
      if (!turn.granted) return { kind: 'busy', waitSeconds: turn.waitSeconds };
      return upstream.call({ method: 'GET', path, headers: authorization(), timeoutMs, ...stop });
    },
    cancel: (path) => upstream.call({ method: 'PUT', path, headers: authorization(), timeoutMs }),
    close: () => upstream.close(),
  };
}
