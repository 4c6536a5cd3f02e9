/** The calls of fal's queue, authorised, timed and paced. */
import {
  type CallOptions,
  createThrottledGet,
  type ReadResult,
  readMsMax,
} from '../toolkit/throttled-get.ts';
import { createUpstream, type UpstreamOutcome } from '../toolkit/upstream.ts';

export type FalCallOptions = CallOptions & { readonly baseUrl?: string };

export type FalCalls = {
  readonly baseUrl: string;
  submit(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<UpstreamOutcome>;
  get(path: string, signal?: AbortSignal): Promise<ReadResult>;
  cancel(path: string): Promise<UpstreamOutcome>;
  close(): Promise<void>;
};

export function createFalCalls(options: FalCallOptions): FalCalls {
  const baseUrl = options.baseUrl ?? 'https://queue.fal.run';
  const upstream = createUpstream({ baseUrl });
  const timeoutMs = options.readTimeoutMs ?? readMsMax;
  const authorization = () => ({ authorization: `Key ${options.apiKey()}` });
  const perSecond = options.getPerSecond ?? 25;
  const read = createThrottledGet(upstream, { perSecond, headers: authorization, timeoutMs });

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
    get: (path, signal) => read(path, { signal }),
    cancel: (path) => upstream.call({ method: 'PUT', path, headers: authorization(), timeoutMs }),
    close: () => upstream.close(),
  };
}
