/**
 * ComfyUI's routes, timed, with the key of a proxy where there is one. What needs care is done here
 * once: an interrupt always names whom it means, since without a name it hits whatever runs.
 */
import { createForm } from '../multipart.ts';
import { createPace } from '../pace.ts';
import { createUpstream, type DownloadOutcome, type UpstreamOutcome } from '../upstream.ts';

export type ComfyCallOptions = {
  readonly baseUrl: string;
  /** ComfyUI asks for none; a proxy before it may. Empty for none. */
  readonly apiKey: () => string;
  readonly createTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  /** Looks a second. */
  readonly getPerSecond?: number;
};

/** A look at the upstream; `busy` when too many others wait for their turn to look. */
export type Reading = UpstreamOutcome | { readonly kind: 'busy'; readonly waitSeconds: number };

export type FileToUpload = {
  readonly file: string;
  readonly fileName: string;
  readonly contentType: string;
};

/** Where a file is on the server, in the words of `/view`. */
export type OutputPlace = {
  readonly filename: string;
  readonly subfolder: string;
  readonly type: string;
};

type Saving = { readonly into: string; readonly bytesMax: number; readonly signal: AbortSignal };

export type ComfyCalls = {
  readonly createTimeoutMs: number;
  queuePrompt(operation: string, graph: unknown): Promise<UpstreamOutcome>;
  upload(file: FileToUpload, signal: AbortSignal): Promise<UpstreamOutcome>;
  queue(signal?: AbortSignal): Promise<Reading>;
  history(operation: string, signal?: AbortSignal): Promise<Reading>;
  /** Takes out what waits; does nothing to what runs. */
  deleteQueued(operation: string): Promise<UpstreamOutcome>;
  /** Stops what runs; does nothing to what waits. */
  interrupt(operation: string): Promise<UpstreamOutcome>;
  view(place: OutputPlace, saving: Saving): Promise<DownloadOutcome>;
  close(): Promise<void>;
};

const waitMsMax = 5_000;
const uploadMsMax = 120_000;
const downloadMsMax = 5 * 60_000;
/** A folder of our own among the inputs: ComfyUI deletes none, so an operator has to. */
const uploadFolder = 'vidgen';

export function createComfyCalls(options: ComfyCallOptions): ComfyCalls {
  const upstream = createUpstream({ baseUrl: options.baseUrl });
  const createTimeoutMs = options.createTimeoutMs ?? 30_000;
  const timeoutMs = options.readTimeoutMs ?? 20_000;
  const gets = createPace({ perSecond: options.getPerSecond ?? 20 });
  const headers = (): Record<string, string> => {
    const key = options.apiKey();
    return key === '' ? {} : { authorization: `Bearer ${key}` };
  };
  const post = (path: string, body: unknown) =>
    upstream.call({ method: 'POST', path, headers: headers(), body, timeoutMs });
  async function get(path: string, signal: AbortSignal | undefined): Promise<Reading> {
    const stop = signal ? { signal } : {};
    const turn = await gets.turn({ waitMsMax, ...stop });
    if (!turn.granted) return { kind: 'busy', waitSeconds: turn.waitSeconds };
    return upstream.call({ method: 'GET', path, headers: headers(), timeoutMs, ...stop });
  }

  return {
    createTimeoutMs,

    queuePrompt: (operation, graph) =>
      upstream.call({
        method: 'POST',
        path: '/prompt',
        headers: headers(),
        // With a client's name outputs from the cache are told too; without, they are left out.
        body: { prompt: graph, prompt_id: operation, client_id: operation },
        timeoutMs: createTimeoutMs,
      }),

    async upload({ file, fileName, contentType }, signal) {
      const form = await createForm([
        { name: 'type', value: 'input' },
        { name: 'subfolder', value: uploadFolder },
        // A second try brings the same file: without this it would get another name.
        { name: 'overwrite', value: 'true' },
        { name: 'image', file, fileName, contentType },
      ]);
      const call = { method: 'POST', path: '/upload/image', headers: headers() } as const;
      return upstream.call({ ...call, form, timeoutMs: uploadMsMax, signal });
    },

    queue: (signal) => get('/queue', signal),
    history: (operation, signal) => get(`/history/${encodeURIComponent(operation)}`, signal),
    deleteQueued: (operation) => post('/queue', { delete: [operation] }),
    interrupt: (operation) => post('/interrupt', { prompt_id: operation }),

    view: ({ filename, subfolder, type }, { signal, ...limits }) =>
      upstream.download(
        {
          method: 'GET',
          path: `/view?${new URLSearchParams({ filename, subfolder, type })}`,
          headers: { ...headers(), accept: '*/*' },
          timeoutMs: downloadMsMax,
          signal,
        },
        limits,
      ),

    close: () => upstream.close(),
  };
}
