/** Replicate's wire format: where predictions of a model are created, predictions, and pages. */
import { asNumber, asOperation, asRecord, asText, asUrl } from '../toolkit/response-values.ts';

/** `owner/name`, `owner/name:version` or `deployments/owner/name`. */
export const modelPattern = /^(deployments\/)?\w[\w.-]*\/\w[\w.-]*$|^\w[\w.-]*\/\w[\w.-]*:\w+$/;

/** Returns the path of the create call and, for community models, the version in its body. */
export function endpointOf(model: string): { path: string; version?: string } {
  const [name, version] = model.split(':') as [string, string?];
  if (version !== undefined) return { path: '/predictions', version };
  const isDeployment = name.startsWith('deployments/');
  return { path: `/${isDeployment ? name : `models/${name}`}/predictions` };
}

export type Prediction = NonNullable<ReturnType<typeof readPrediction>>;

export function readPrediction(json: unknown) {
  const prediction = asRecord(json);
  if (!prediction) return undefined;
  const input = asRecord(prediction.input);
  const predictSeconds = asNumber(asRecord(prediction.metrics)?.predict_time);
  const created = Date.parse(asText(prediction.created_at) ?? '');
  return {
    /** As it was received. */
    json,
    id: asOperation(prediction.id),
    status: asText(prediction.status),
    /** Returns the text of an input. */
    prompt: (name: string) => asText(input?.[name]),
    error: errorText(prediction.error),
    videoUrl: videoIn(prediction.output),
    webhook: asText(prediction.webhook),
    /** Unix time. */
    createdSeconds: Number.isNaN(created) ? undefined : Math.floor(created / 1000),
    /** It has begun to run, so it costs. */
    hasRun: asText(prediction.started_at) !== undefined || (predictSeconds ?? 0) > 0,
    predictSeconds,
    /** Replicate deletes input, output and logs one hour after the end. */
    dataRemoved: prediction.data_removed === true,
    /** From 0 to 1, when the model's log has it. */
    progress: progressIn(prediction.logs),
  };
}

/** Mostly a string, but its type is not documented. */
function errorText(error: unknown): string | undefined {
  if (error === null || error === undefined) return undefined;
  return asText(error) ?? asText(asRecord(error)?.message) ?? JSON.stringify(error);
}

const isVideoUrl = (url: string): boolean => /\.(mp4|webm|mov|mkv)$/i.test(new URL(url).pathname);

/** `output` depends on the model: a URL, a list, or an object. Videos come before other files. */
function videoIn(output: unknown): string | undefined {
  const urls = urlsIn(output, 0);
  return urls.find(isVideoUrl) ?? urls[0];
}

const outputDepthMax = 4;

function urlsIn(value: unknown, depth: number): string[] {
  const url = asUrl(value);
  if (url) return [url];
  if (depth === outputDepthMax || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => urlsIn(inner, depth + 1));
}

/** Reads the last progress bar of a log: ` 76%|███████  | 76/100`. */
function progressIn(logs: unknown): number | undefined {
  const text = asText(logs)?.slice(-10_000);
  const percent = [...(text ?? '').matchAll(/(?:^|[\r\n])[ \t]{0,9}(\d{1,3})%[ \t]{0,9}\|/g)].at(
    -1,
  )?.[1];
  return percent === undefined ? undefined : Math.min(Number(percent), 100) / 100;
}

/** Whether a callback URL contains the reference of a start. */
export const hasReference = (webhook: string | undefined, reference: string): boolean =>
  webhook?.split(/[/?&=#]/).includes(reference) ?? false;

/** Undefined when it is no page; `cursor` is that of the next page. */
export function readPage(json: unknown) {
  const page = asRecord(json);
  if (!Array.isArray(page?.results)) return undefined;
  const predictions = page.results.map(readPrediction);
  if (!predictions.every((prediction) => prediction !== undefined)) return undefined;
  const { next } = page;
  if (next === null || next === undefined) return { predictions, cursor: undefined };
  // Only the cursor is used, so that the API key never goes to a URL from a response.
  const cursor = asUrl(next) && new URL(next as string).searchParams.get('cursor');
  return cursor ? { predictions, cursor } : undefined;
}
