/**
 * ComfyUI's routes, timed, with the key of a proxy where there is one. What needs care is done here
 * once: an interrupt always names whom it means, since without a name it hits whatever runs.
 */
import { type SaveOptions, saveFrom } from '../toolkit/downloads.ts';
import { createForm } from '../toolkit/multipart.ts';
import {
  bearer,
  type CallOptions,
  createThrottledGet,
  type ReadResult,
  readMsMax,
} from '../toolkit/throttled-get.ts';
import { createUpstream, type DownloadOutcome, type UpstreamOutcome } from '../toolkit/upstream.ts';

/** ComfyUI asks for no key; a proxy before it may. */
export type ComfyCallOptions = CallOptions & { readonly baseUrl: string };

export type FileToUpload = {
  readonly file: string;
  readonly fileName: string;
  readonly contentType: string;
};

/** Where a file is on the server, in the words of `/view`. */
export type OutputFile = {
  readonly filename: string;
  readonly subfolder: string;
  readonly type: string;
};

export type ComfyCalls = {
  readonly createTimeoutMs: number;
  queuePrompt(operation: string, graph: unknown): Promise<UpstreamOutcome>;
  upload(file: FileToUpload, signal: AbortSignal): Promise<UpstreamOutcome>;
  queue(signal?: AbortSignal): Promise<ReadResult>;
  history(operation: string, signal?: AbortSignal): Promise<ReadResult>;
  /** Takes out what waits; does nothing to what runs. */
  deleteQueued(operation: string): Promise<UpstreamOutcome>;
  /** Stops what runs; does nothing to what waits. */
  interrupt(operation: string): Promise<UpstreamOutcome>;
  view(file: OutputFile, saveOptions: SaveOptions): Promise<DownloadOutcome>;
  close(): Promise<void>;
};

const uploadMsMax = 120_000;
/** A folder of our own among the inputs: ComfyUI deletes none, so an operator has to. */
const uploadFolder = 'vidgen';

export function createComfyCalls(options: ComfyCallOptions): ComfyCalls {
  const upstream = createUpstream({ baseUrl: options.baseUrl });
  const createTimeoutMs = options.createTimeoutMs ?? 30_000;
  const timeoutMs = options.readTimeoutMs ?? readMsMax;
  const headers = bearer(options.apiKey);
  const read = createThrottledGet(upstream, {
    perSecond: options.getPerSecond ?? 20,
    headers,
    timeoutMs,
  });
  const post = (path: string, body: unknown) =>
    upstream.call({ method: 'POST', path, headers: headers(), body, timeoutMs });

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

    queue: (signal) => read('/queue', { signal }),
    history: (operation, signal) => read(`/history/${encodeURIComponent(operation)}`, { signal }),
    deleteQueued: (operation) => post('/queue', { delete: [operation] }),
    interrupt: (operation) => post('/interrupt', { prompt_id: operation }),

    view: ({ filename, subfolder, type }, saveOptions) => {
      const path = `/view?${new URLSearchParams({ filename, subfolder, type })}`;
      return saveFrom(upstream, { path, headers }, saveOptions);
    },

    close: () => upstream.close(),
  };
}
