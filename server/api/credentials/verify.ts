/**
 * Verifies content credentials: of a file that is sent, or of a result that is stored here. Files
 * are read as a stream and never kept.
 */
import type { Readable } from 'node:stream';
import { ApiError, invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import { VerifyRequest, VerifyResponse } from '@vidgen/contract/content-credentials.ts';
import { clientNetwork } from '../../accounts/people/client-network.ts';
import { type Inspection, inspect, TooManyBoxes } from '../../credentials/inspect.ts';
import { unixSeconds } from '../../process/clock.ts';
import { verifySignedUrl } from '../../storage/signed-url.ts';
import type { StoredFile } from '../../storage/storage.ts';
import { resultKeys, type Task } from '../../tasks/task.ts';
import { readChunks, releaseChunk } from '../files/receive-file.ts';
import { authorize } from '../http/authorize.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { Endpoint } from '../http/endpoint-definition.ts';
import { routeNotFound } from '../http/error-response.ts';
import type { ApiRequest, ApiServices, Caller } from '../http/handler.ts';
import { readJson } from '../http/json-body.ts';
import { parseBody } from '../http/parse-request.ts';
import * as samples from '../http/samples.ts';
import { unixSecondsOrNull } from '../http/timestamps.ts';

const bytesMax = 512 * 1024 ** 2;
const jsonBytesMax = 16 * 1024;
const chunksFree = 4096;
const chunkBytesMin = 4096;
/** Per network, without a key. Each may hash half a gigabyte. */
export const verificationsPerHour = 20;

export const verifySample = {
  made_here: true,
  state: 'valid',
  model: 'vidgen-2-5',
  signed_at: samples.createdAt,
  claims: {
    generator: 'vidgen',
    title: 'Video of vidgen-2-5',
    source_type: 'trainedAlgorithmicMedia',
    installation: 'videos.example.com',
    task_sha256: '6e3b9c5f5d0c1f7a7f6b8d0e4c2a19587e1d3f90b6a4c8d2e0f1a3b5c7d9e1f3',
  },
} as const;

export const verify: Endpoint = endpoint({
  parsesItself: true,
  operationId: 'verify',
  method: 'POST',
  path: '/verify',
  summary: 'Verify content credentials',
  description:
    'Send a file as the body, or JSON with the `id` of a task or the `url` of a result of this ' +
    'installation. A file has at most 512 MiB and 64 boxes, and is not kept; MP4, JPEG and PNG ' +
    `are read. A network may ask ${verificationsPerHour} times per hour; with an API key, the ` +
    'rate limit of status requests applies. `VIDGEN_VERIFY` may require a key, or turn it off.',
  auth: 'none',
  streamBody: true,
  bodyType: 'application/octet-stream',
  body: VerifyRequest,
  requestExamples: { task: ['A task', { id: samples.taskId }] },
  responses: {
    200: jsonResponse('What was found.', VerifyResponse, {
      valid: ['A video that was made here', verifySample],
    }),
  },
  errors: {
    invalid_request: 'The file must have at most 64 boxes.',
    invalid_api_key: true,
    not_found: 'No result found with this ID; it may have expired.',
    rate_limited: true,
  },
  async handler(services, request) {
    const body = request.body as Readable;
    try {
      const caller = await admit(services, request);
      const inspection = await inspectBody(services, request);
      // The file may have taken ten minutes to arrive.
      await caller?.reauthorize(services.lifecycle.db, { lock: false });
      return { body: verificationView(inspection), headers: { 'cache-control': 'no-store' } };
    } finally {
      // A client that is still sending would not read the response.
      body.resume();
    }
  },
});

/** Counts the request. Returns the caller with a key, which is required by one of the settings. */
async function admit(services: ApiServices, request: ApiRequest): Promise<Caller | null> {
  if (services.verifies === 'off') throw routeNotFound();
  if (services.verifies === 'key' || request.headers.authorization !== undefined) {
    return await authorize(services, { ...verify, auth: 'key', rateLimit: 'status' }, request);
  }
  const network = clientNetwork(request.remoteAddress());
  const result = services.verifyLimiter.consume(network);
  if (result.allowed) return null;
  const { limit, retryAfterSeconds: seconds } = result;
  throw new ApiError(
    'rate_limited',
    `Rate limit of ${limit} verifications per hour exceeded; retry in ${seconds} seconds, or ` +
      'send an API key.',
    { retryAfter: seconds },
  );
}

async function inspectBody(services: ApiServices, request: ApiRequest): Promise<Inspection> {
  const { 'content-type': type, 'content-length': length } = request.headers;
  if (Number(length ?? 0) === 0 && request.headers['transfer-encoding'] === undefined) {
    throw invalidRequest('The body must be a file, or JSON with id or url.');
  }
  const given = String(type ?? '');
  if (/^multipart\//i.test(given)) {
    const remedy = 'with curl, send it by --data-binary @video.mp4';
    throw invalidRequest(`The body must be the file, not a form; ${remedy}.`);
  }
  if (!/^application\/json\b/i.test(given)) {
    return await inspectChunks(services, releasing(limited(request, bytesMax)));
  }
  const text = Buffer.concat(await Array.fromAsync(limited(request, jsonBytesMax)));
  const named = parseBody(VerifyRequest, readJson(text, request.headers));
  const file = await openNamed(services, named);
  return await inspectChunks(services, releasing(file.read()));
}

/** Small chunks of a body without a length cost more than the bytes in them. */
async function* limited({ headers, body }: ApiRequest, bytesAllowed: number) {
  let [bytes, chunks] = [Number(headers['content-length'] ?? 0), 0];
  for await (const chunk of readChunks(body as Readable)) {
    chunks += 1;
    if (headers['content-length'] === undefined) bytes += chunk.length;
    if (bytes > bytesAllowed) {
      const rule = 'The body must be a file of at most 512 MiB, or JSON of at most 16 KiB.';
      throw invalidRequest(rule);
    }
    if (headers['content-length'] === undefined && chunks > chunksFree + bytes / chunkBytesMin) {
      throw invalidRequest('The body has small chunks; send Content-Length.');
    }
    yield chunk;
  }
}

/** Otherwise V8 frees the memory of chunks only after tens of megabytes. */
async function* releasing(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    releaseChunk(chunk);
  }
}

async function inspectChunks(
  { signingKeys }: ApiServices,
  chunks: AsyncIterable<Buffer>,
): Promise<Inspection> {
  try {
    return await inspect(chunks, signingKeys.known);
  } catch (error) {
    if (!(error instanceof TooManyBoxes)) throw error;
    throw invalidRequest('The file must have at most 64 boxes.');
  }
}

/** The stored video of a task. Throws `not_found`. */
export async function inspectResult(services: ApiServices, task: Task): Promise<Inspection> {
  const file = await openResult(services, task, 'video.mp4');
  return await inspectChunks(services, releasing(file.read()));
}

async function openNamed(
  services: ApiServices,
  { id, url }: { readonly id?: string | undefined; readonly url?: string | undefined },
): Promise<StoredFile> {
  if ((id === undefined) === (url === undefined)) {
    throw invalidRequest('The body must have either id or url.');
  }
  const video = { taskId: id ?? '', name: 'video.mp4' };
  const { taskId, name } = url === undefined ? video : targetOf(services, url);
  const task = await services.tasks.find(taskId);
  if (!task) throw noResult();
  return await openResult(services, task, name);
}

/** Only a signed URL tells that its sender may see the file. */
function targetOf({ urlSigningSecret: secret }: ApiServices, text: string) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const [, taskId = '', name = ''] = /\/results\/([^/]+)\/([^/]+)$/.exec(url?.pathname ?? '') ?? [];
  const [expires, signature] = ['expires', 'signature'].map((key) => url?.searchParams.get(key));
  const signed = { taskId, name, expires: expires ?? '', signature: signature ?? '' };
  const verdict = verifySignedUrl({ secret, ...signed, nowSeconds: unixSeconds() });
  if (verdict === 'valid') return { taskId, name };
  if (verdict === 'expired') throw noResult();
  const message =
    'url must be the URL of a result of this installation (send other files as the body)';
  throw invalidRequest(message);
}

async function openResult(services: ApiServices, task: Task, name: string): Promise<StoredFile> {
  const keys = task.result && !task.expired ? resultKeys(task.result) : [];
  const key = keys.find((one) => one.endsWith(`/${name}`));
  const file = key === undefined ? null : await services.lifecycle.storage.open(key);
  if (!file) throw noResult();
  return file;
}

const noResult = () => notFound('No result found with this ID; it may have expired.');

export function verificationView({ state, claims }: Inspection): VerifyResponse {
  const isOurs = state === 'valid' || state === 'altered';
  return {
    made_here: state === 'valid',
    state,
    model: isOurs ? (claims?.model ?? null) : null,
    signed_at: isOurs ? unixSecondsOrNull(claims?.signedAt ?? null) : null,
    claims: claims && {
      generator: claims.generator,
      title: claims.title,
      source_type: claims.sourceType,
      installation: claims.installation,
      task_sha256: claims.taskSha256,
    },
  };
}
