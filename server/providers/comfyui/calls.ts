/** ComfyUI's endpoints. ComfyUI itself requires no key, but a proxy in front of it may. */
import {
  type ClientOptions,
  createClient,
  type ReadTurn,
  type SaveOptions,
} from '../toolkit/client.ts';
import { createForm } from '../toolkit/multipart.ts';

/** Where a file is on the server, as `/view` names it. */
export type OutputFile = {
  readonly filename: string;
  readonly subfolder: string;
  readonly type: string;
};

type FileToUpload = {
  readonly file: string;
  readonly fileName: string;
  readonly contentType: string;
};

export type ComfyCalls = ReturnType<typeof createComfyCalls>;

const uploadMsMax = 120_000;
/** A subfolder of the server's inputs, which ComfyUI never deletes. */
const uploadFolder = 'vidgen';

export function createComfyCalls(options: ClientOptions) {
  const client = createClient({ getPerSecond: Number.POSITIVE_INFINITY, ...options });
  const { createTimeoutMs = 30_000 } = options;

  return {
    createTimeoutMs,
    queuePrompt: (operation: string, graph: unknown) =>
      client.call('POST', '/prompt', {
        // Without a client id, ComfyUI omits outputs that come from its cache.
        body: { prompt: graph, prompt_id: operation, client_id: operation },
        timeoutMs: createTimeoutMs,
      }),
    async upload({ file, fileName, contentType }: FileToUpload, signal: AbortSignal) {
      const form = await createForm([
        { name: 'type', value: 'input' },
        { name: 'subfolder', value: uploadFolder },
        // Without it, a retry would get another file name.
        { name: 'overwrite', value: 'true' },
        { name: 'image', file, fileName, contentType },
      ]);
      return client.call('POST', '/upload/image', { form, timeoutMs: uploadMsMax, signal });
    },
    queue: (turn?: ReadTurn) => client.read('/queue', turn),
    history: (operation: string, turn?: ReadTurn) =>
      client.read(`/history/${encodeURIComponent(operation)}`, turn),
    /** Stops a prompt in whichever state it is, in one step. Since June 2026. */
    cancelJob: (operation: string) =>
      client.call('POST', `/api/jobs/${encodeURIComponent(operation)}/cancel`),
    /** Removes a waiting prompt; has no effect on a running one. */
    deleteQueued: (operation: string) =>
      client.call('POST', '/queue', { body: { delete: [operation] } }),
    /** Stops a running prompt. Without its id, ComfyUI would stop any prompt that runs. */
    interrupt: (operation: string) =>
      client.call('POST', '/interrupt', { body: { prompt_id: operation } }),
    view: ({ filename, subfolder, type }: OutputFile, saveOptions: SaveOptions) =>
      client.save(`/view?${new URLSearchParams({ filename, subfolder, type })}`, saveOptions),
    close: client.close,
  };
}
