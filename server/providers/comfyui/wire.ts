/**
 * ComfyUI's answers as values: its queue, an entry of its history, and the video among the outputs
 * of an entry. What has another shape than it should is undefined, never a guess.
 */
import { asNumber, asRecord, asText } from '../toolkit/response-values.ts';
import type { OutputFile } from './calls.ts';

export type QueuedPrompt = {
  readonly state: 'queued' | 'running';
  /** By the server's clock, in Unix seconds. */
  readonly createdSeconds: number | undefined;
};

/** Null: it is not in the queue. Undefined: the answer is no queue. */
export function readQueue(json: unknown, operation: string): QueuedPrompt | null | undefined {
  const queue = asRecord(json);
  const running = readItems(queue?.queue_running);
  const pending = readItems(queue?.queue_pending);
  if (!running || !pending) return undefined;
  const find = (items: readonly Item[], state: QueuedPrompt['state']): QueuedPrompt | undefined => {
    const item = items.find(({ id }) => id === operation);
    return item && { state, createdSeconds: item.createdSeconds };
  };
  return find(running, 'running') ?? find(pending, 'queued') ?? null;
}

type Item = { readonly id: string; readonly createdSeconds: number | undefined };

/** `[number, id, graph, extra_data, outputs]`. */
function readItems(value: unknown): Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map((item: unknown): Item | undefined => {
    if (!Array.isArray(item)) return undefined;
    const id = asText(item[1]);
    const createdMs = asNumber(asRecord(item[3])?.create_time);
    return id === undefined
      ? undefined
      : { id, createdSeconds: createdMs === undefined ? undefined : createdMs / 1000 };
  });
  return items.every((item) => item !== undefined) ? items : undefined;
}

export type ExecutionError = {
  readonly nodeId: string;
  readonly nodeType: string;
  readonly exception: string;
  readonly message: string;
};

/** What has ended, well or not. */
export type FinishedPrompt = {
  /** `success` or `error`; undefined in versions that tell nothing. */
  readonly status: string | undefined;
  readonly interrupted: boolean;
  readonly error: ExecutionError | undefined;
  readonly outputs: unknown;
};

/** Null: it is not in the history. Undefined: the answer is no history. */
export function readHistory(json: unknown, operation: string): FinishedPrompt | null | undefined {
  const history = asRecord(json);
  if (!history) return undefined;
  if (Object.keys(history).length === 0) return null;
  const entry = asRecord(history[operation]);
  if (!entry || !asRecord(entry.outputs)) return undefined;
  const status = entry.status === null ? {} : asRecord(entry.status ?? {});
  if (!status) return undefined;
  const messages = Array.isArray(status.messages) ? status.messages : [];
  const dataOf = (name: string) =>
    asRecord(messages.find((message) => Array.isArray(message) && message[0] === name)?.[1]);
  return {
    status: status.status_str === undefined ? undefined : String(status.status_str),
    interrupted: dataOf('execution_interrupted') !== undefined,
    error: executionError(dataOf('execution_error')),
    outputs: entry.outputs,
  };
}

function executionError(data: Record<string, unknown> | undefined): ExecutionError | undefined {
  return (
    data && {
      nodeId: String(data.node_id ?? ''),
      nodeType: asText(data.node_type) ?? '',
      exception: asText(data.exception_type) ?? '',
      message: asText(data.exception_message) ?? '',
    }
  );
}

const videoFileName = /\.(mp4|webm|mov|mkv)$/i;

/**
 * Nodes publish videos under `images`, `gifs`, `video` or `videos`: so every list of every node is
 * looked through. The configured node goes first, and what is kept before what is temporary. An
 * input is no output: it is the customer's own file, shown again.
 */
export function findVideo(outputs: unknown, preferredNode: string | undefined): OutputFile | null {
  const found = Object.entries(asRecord(outputs) ?? {}).flatMap(([node, lists]) =>
    Object.values(asRecord(lists) ?? {})
      .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
      .flatMap((item) => {
        const place = videoPlace(asRecord(item) ?? {});
        return place ? [{ place, isPreferred: node === preferredNode }] : [];
      }),
  );
  const rank = ({ place, isPreferred }: (typeof found)[number]): number =>
    (isPreferred ? 0 : 2) + (place.type === 'output' ? 0 : 1);
  return found.toSorted((one, other) => rank(one) - rank(other))[0]?.place ?? null;
}

function videoPlace(item: Record<string, unknown>): OutputFile | null {
  const filename = asText(item.filename);
  const isVideo = videoFileName.test(filename ?? '') || asText(item.format)?.startsWith('video/');
  const type = asText(item.type) ?? 'output';
  if (filename === undefined || !isVideo || type === 'input') return null;
  return { filename, subfolder: asText(item.subfolder) ?? '', type };
}

/** The name under which a workflow finds an uploaded file. */
export function uploadedName(json: unknown): string | undefined {
  const upload = asRecord(json);
  const name = asText(upload?.name);
  const subfolder = asText(upload?.subfolder);
  return name && subfolder ? `${subfolder}/${name}` : name;
}
