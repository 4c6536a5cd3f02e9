/**
 * ComfyUI's responses: the queue, an entry of the history, and the video among the outputs of an
 * entry. A response of another shape is undefined.
 */
import { asRecord, asText } from '../toolkit/response-values.ts';
import type { OutputFile } from './calls.ts';

/** Returns null for a prompt that is not in the queue, undefined when the response is no queue. */
export function readQueue(json: unknown, operation: string) {
  const queue = asRecord(json);
  const running = readItems(queue?.queue_running);
  const pending = readItems(queue?.queue_pending);
  if (!running || !pending) return undefined;
  if (running.includes(operation)) return 'running';
  return pending.includes(operation) ? 'queued' : null;
}

/** The IDs in a list of `[number, id, graph, extra_data, outputs]`. */
function readItems(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const ids = value.map((item: unknown) => (Array.isArray(item) ? asText(item[1]) : undefined));
  return ids.every((id) => id !== undefined) ? ids : undefined;
}

export type FinishedPrompt = NonNullable<ReturnType<typeof readHistory>>;
export type ExecutionError = NonNullable<FinishedPrompt['error']>;

/** Returns null for a prompt that is not in the history, undefined when it is no history. */
export function readHistory(json: unknown, operation: string) {
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
    /** `success` or `error`; undefined in older versions. */
    status: status.status_str === undefined ? undefined : String(status.status_str),
    interrupted: dataOf('execution_interrupted') !== undefined,
    error: executionError(dataOf('execution_error')),
    outputs: entry.outputs,
  };
}

const executionError = (data: Record<string, unknown> | undefined) =>
  data && {
    nodeId: String(data.node_id ?? ''),
    nodeType: asText(data.node_type) ?? '',
    exception: asText(data.exception_type) ?? '',
    message: asText(data.exception_message) ?? '',
  };

const videoFileName = /\.(mp4|webm|mov|mkv)$/i;

/**
 * Nodes list videos under `images`, `gifs`, `video` or `videos`, so every list of every node is
 * searched. The configured node comes first, and kept files before temporary ones. Inputs are
 * skipped: they are the customer's own files.
 */
export function findVideo(outputs: unknown, preferredNode: string | undefined): OutputFile | null {
  const found = Object.entries(asRecord(outputs) ?? {}).flatMap(([node, lists]) =>
    Object.values(asRecord(lists) ?? {})
      .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
      .flatMap((item) => {
        const file = videoFile(asRecord(item) ?? {});
        return file ? [{ file, isPreferred: node === preferredNode }] : [];
      }),
  );
  const rank = ({ file, isPreferred }: (typeof found)[number]): number =>
    (isPreferred ? 0 : 2) + (file.type === 'output' ? 0 : 1);
  return found.toSorted((one, other) => rank(one) - rank(other))[0]?.file ?? null;
}

function videoFile(item: Record<string, unknown>): OutputFile | null {
  const filename = asText(item.filename);
  const isVideo = videoFileName.test(filename ?? '') || asText(item.format)?.startsWith('video/');
  const type = asText(item.type) ?? 'output';
  if (filename === undefined || !isVideo || type === 'input') return null;
  return { filename, subfolder: asText(item.subfolder) ?? '', type };
}

/** Returns the name by which a workflow finds an uploaded file. */
export function uploadedName(json: unknown): string | undefined {
  const upload = asRecord(json);
  const name = asText(upload?.name);
  const subfolder = asText(upload?.subfolder);
  return name && subfolder ? `${subfolder}/${name}` : name;
}
