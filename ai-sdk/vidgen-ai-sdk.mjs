/**
 * A vidgen provider for the AI SDK 7 (`npm install ai`), in one file without other dependencies.
 * Options that vidgen cannot honor become warnings, and a start is charged once, however often the
 * SDK retries it.
 */

/** The service replaces it by its own URL in the copy that it serves. */
const defaultUrl = 'http://127.0.0.1:8787';
/** The poll interval when a response has no Retry-After header. */
const pollSeconds = 10;
/** The maximum of `?wait=`. */
const waitSecondsMax = 60;
/** Longer than the service takes for any response. */
const requestTimeoutMs = 90_000;
/** How long the service waits for a file. */
const uploadTimeoutMs = 600_000;
/** Sorted by the shorter side in pixels. */
const resolutions = /** @type {const} */ ([
  [480, '480p'],
  [720, '720p'],
  [1080, '1080p'],
  [2160, '4k'],
]);
const ratios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9'];

/**
 * @typedef {Parameters<typeof import('ai').experimental_generateVideo>[0]['model']} AnyModel
 * @typedef {Extract<AnyModel, { specificationVersion: 'v4' }>} VideoModel
 * @typedef {Parameters<NonNullable<VideoModel['doStart']>>[0]} Call
 * @typedef {NonNullable<Call['image']>} File
 * @typedef {Awaited<ReturnType<NonNullable<VideoModel['doStart']>>>} Started
 * @typedef {Awaited<ReturnType<NonNullable<VideoModel['doStatus']>>>} Status
 * @typedef {Started['warnings']} Warnings
 * @typedef {Record<string, string | undefined>} Named
 *
 * @typedef {object} Settings
 * @property {string} [baseURL] the URL of the service; default: VIDGEN_URL
 * @property {string} [apiKey] default: VIDGEN_KEY
 * @property {Named} [headers] sent with every request
 * @property {typeof globalThis.fetch} [fetch] replaces the global fetch
 * @property {boolean} [download] download the video here instead of in the SDK, which rejects
 *   URLs in private networks; default: whether the URL looks private
 *
 * @typedef {{ status: 'queued' | 'generating' | 'completed' | 'failed', billing_status: string,
 *   credits: number, failed_reason: string | null, data?: { results: string[],
 *   video_expires_at: string, last_frame_url: string | null, processing_time: number } }} Task
 * @typedef {{ body?: unknown, headers?: Named | undefined,
 *   abortSignal?: AbortSignal | undefined }} RequestOptions
 */

/** The time of the next poll by task ID. @type {Map<string, number>} */
const nextPollAt = new Map();
/** Idempotency keys for calls without one, so that a retried call keeps its key. */
const keys = /** @type {WeakMap<Call, string>} */ (new WeakMap());

/** @param {Settings} [settings] */
export function createVidgen(settings = {}) {
  /** @param {string} modelId */
  const video = (modelId) => videoModel(modelId, settings);
  /** @param {string} modelType @returns {(modelId: string) => never} */
  const unsupportedModel = (modelType) => (modelId) => {
    const message = `vidgen only has video models, no ${modelType} ${modelId}.`;
    throw sdkError('AI_NoSuchModelError', message, { modelId, modelType });
  };
  return {
    specificationVersion: /** @type {const} */ ('v4'),
    video,
    /** The name that provider registries use. */
    videoModel: video,
    languageModel: unsupportedModel('languageModel'),
    embeddingModel: unsupportedModel('embeddingModel'),
    imageModel: unsupportedModel('imageModel'),
  };
}

/** The provider with the key in VIDGEN_KEY. */
export const vidgen = createVidgen();

/** @param {string} modelId @param {Settings} settings @returns {VideoModel} */
function videoModel(modelId, settings) {
  return {
    specificationVersion: 'v4',
    provider: 'vidgen',
    modelId,
    maxVideosPerCall: 1,
    handleWebhookOption: async ({ webhook }) => {
      const { url, received } = await webhook();
      return { webhookUrl: url, received };
    },
    doStart: async (call) => {
      const { body, warnings } = requestOf(modelId, await withUploads(call, settings));
      if (!keys.has(call)) keys.set(call, `vidgen-ai-sdk-${crypto.randomUUID()}`);
      const headers = { 'idempotency-key': keys.get(call), ...lowerCased(call.headers) };
      const options = { body, headers, abortSignal: call.abortSignal };
      const { data, responseHeaders } = await request(settings, '/v1/videos/generations', options);
      const { taskId, credits } = /** @type {{ taskId: string, credits: number }} */ (data);
      const ignored = responseHeaders['vidgen-ignored'];
      if (ignored)
        warnings.push({ type: 'other', message: `Ignored for this generation type: ${ignored}.` });
      return {
        operation: { taskId },
        warnings,
        providerMetadata: { vidgen: { taskId, credits } },
        response: responseOf(modelId, responseHeaders),
      };
    },
    doStatus: async ({ operation, headers, abortSignal }) => {
      const { taskId = '' } = /** @type {{ taskId?: string }} */ (operation ?? {});
      const path = `/v1/tasks/${encodeURIComponent(taskId)}${waitQuery(taskId)}`;
      const { data, responseHeaders } = await request(settings, path, { headers, abortSignal });
      const task = /** @type {Task} */ (data);
      recordPoll(taskId, {
        task,
        advisedSeconds: Number(responseHeaders['retry-after']) || pollSeconds,
      });
      const response = responseOf(modelId, responseHeaders);
      return await statusOf(taskId, { task, response, settings, abortSignal });
    },
  };
}

/**
 * A task is polled at most every 10 seconds (docs/spec.md 4.2). An earlier poll waits at
 * the service for the rest of that time; the service responds as soon as the task has changed.
 * @param {string} taskId
 */
function waitQuery(taskId) {
  const seconds = Math.ceil(((nextPollAt.get(taskId) ?? 0) - Date.now()) / 1000);
  return seconds > 0 ? `?wait=${Math.min(seconds, waitSecondsMax)}` : '';
}

/** @param {string} taskId @param {{ task: Task, advisedSeconds: number }} poll */
function recordPoll(taskId, { task, advisedSeconds }) {
  nextPollAt.delete(taskId);
  // Overdue entries come first: tasks that are no longer polled are removed.
  for (const [id, at] of nextPollAt) {
    if (at > Date.now()) break;
    nextPollAt.delete(id);
  }
  if (isFinal(task)) return;
  nextPollAt.set(taskId, Date.now() + advisedSeconds * 1000);
}

/** @param {Task} task */
const isFinal = ({ status }) => status === 'completed' || status === 'failed';

/**
 * @param {string} taskId
 * @param {{ task: Task, response: Started['response'], settings: Settings,
 *   abortSignal: AbortSignal | undefined }} seen
 * @returns {Promise<Status>}
 */
async function statusOf(taskId, { task, response, ...how }) {
  if (!isFinal(task)) return { status: 'pending', response };
  const { credits, data } = task;
  const url = data?.results[0];
  if (data === undefined || url === undefined) {
    const refund = task.billing_status === 'refunded' ? 'were refunded' : 'are not refunded yet';
    const error = data
      ? `The video of ${taskId} expired at ${data.video_expires_at}.`
      : `The task ${taskId} failed: ${task.failed_reason}. Its ${credits} credits ${refund}.`;
    return { status: 'error', error, response };
  }
  const metadata = {
    taskId,
    credits,
    url,
    expiresAt: data.video_expires_at,
    lastFrameUrl: data.last_frame_url,
    processingSeconds: data.processing_time,
  };
  const mediaType = 'video/mp4';
  const video =
    (how.settings.download ?? isPrivate(url))
      ? { type: /** @type {const} */ ('binary'), mediaType, data: await download(url, how) }
      : { type: /** @type {const} */ ('url'), mediaType, url };
  const providerMetadata = { vidgen: { videos: [metadata] } };
  return { status: 'completed', videos: [video], warnings: [], providerMetadata, response };
}

const privateNetwork =
  /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;

/** Whether the SDK would reject the URL as private, judged by its host. @param {string} url */
function isPrivate(url) {
  const host = new URL(url).hostname;
  const isLocalName = !host.includes('.') || /\.(localhost|local|internal)\.?$/.test(host);
  return isLocalName || privateNetwork.test(host);
}

/**
 * @param {string} url
 * @param {{ settings: Settings, abortSignal: AbortSignal | undefined }} how
 */
async function download(url, { settings, abortSignal }) {
  try {
    const response = await (settings.fetch ?? fetch)(url, { signal: abortSignal ?? null });
    if (!response.ok) throw new Error(`the response was ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    if (abortSignal?.aborted) throw cause;
    const message = `The video could not be downloaded: ${errorText(cause)}.`;
    // The signature must not be logged.
    throw callError(message, { url: url.replace(/\?.*/, ''), isRetryable: true, cause });
  }
}

/** Converts a call to a create request. @param {string} model @param {Call} call */
function requestOf(model, call) {
  /** @type {Warnings} */
  const warnings = [];
  const unsupported = (/** @type {string} */ feature, /** @type {string} */ details) =>
    void warnings.push({ type: 'unsupported', feature, details });
  const { callback_url: callback, ...extraInput } = /** @type {Record<string, unknown>} */ (
    call.providerOptions.vidgen ?? {}
  );
  if (call.n > 1) unsupported('n', 'One call makes one video.');
  if (call.fps !== undefined) unsupported('fps', 'The model chooses the frame rate.');
  const hasSeed = call.seed !== undefined && model !== 'vidgen-2-5';
  if (call.seed !== undefined && !hasSeed) unsupported('seed', `${model} has no seed.`);
  const materials = materialsOf(call, warnings);
  const input = {
    prompt: call.prompt,
    ...materials,
    duration: call.duration,
    ...shapeOf(call, { isFree: materials.generation_type === 'text-to-video', warnings }),
    generate_audio: call.generateAudio,
    ...(hasSeed ? { seed: call.seed } : {}),
    // Options with the API's names override the others.
    ...extraInput,
  };
  return { body: { model, callback_url: call.webhookUrl ?? callback, input }, warnings };
}

/**
 * Converts `1280x720` to a resolution and, when no material determines it, an aspect ratio.
 * @param {Call} call
 * @param {{ isFree: boolean, warnings: Warnings }} how
 */
function shapeOf({ resolution, aspectRatio }, { isFree, warnings }) {
  if (resolution === undefined) return { aspect_ratio: aspectRatio };
  const [width = 0, height = 0] = resolution.split('x').map(Number);
  const side = Math.min(width, height);
  // Rounded down, because a higher resolution costs more.
  const [exact, name] =
    resolutions.findLast(([resolutionSide]) => resolutionSide <= side) ?? resolutions[0];
  const nearestRatio = ratios.find((ratio) => {
    const [across = 1, down = 1] = ratio.split(':').map(Number);
    return Math.abs((width * down) / (height * across) - 1) < 0.02;
  });
  const ratio = aspectRatio ?? (isFree ? nearestRatio : undefined);
  if (exact !== side || (isFree && ratio === undefined)) {
    const taken = ratio === undefined ? name : `${name}, ${ratio}`;
    const details = `${resolution} is not supported; using ${taken}.`;
    warnings.push({ type: 'compatibility', feature: 'resolution', details });
  }
  return { resolution: name, aspect_ratio: ratio };
}

/** Assigns files to the fields of the request. @param {Call} call @param {Warnings} warnings */
function materialsOf({ image, frameImages = [], inputReferences = [] }, warnings) {
  if (inputReferences.length > 0) {
    if (image) {
      const message = 'With references, the image is a reference, not the first frame.';
      warnings.push({ type: 'other', message });
    }
    const references = [...(image ? [image] : []), ...inputReferences];
    const urls = (/** @type {string} */ kind) => {
      const found = references.filter((file) => kindOf(file) === kind).map(urlOf);
      return found.length > 0 ? found : undefined;
    };
    return {
      generation_type: 'reference-to-video',
      image_urls: urls('image'),
      video_urls: urls('video'),
      audio_urls: urls('audio'),
    };
  }
  const frame = (/** @type {string} */ type) =>
    frameImages.find(({ frameType }) => frameType === type)?.image;
  const first = frame('first_frame') ?? image;
  const last = frame('last_frame');
  if (first === undefined && last !== undefined) {
    const message = 'A last frame requires a first frame.';
    throw sdkError('AI_UnsupportedFunctionalityError', message, {
      functionality: 'last_frame alone',
    });
  }
  if (first === undefined) return { generation_type: 'text-to-video' };
  const image_urls = [first, ...(last ? [last] : [])].map(urlOf);
  return { generation_type: 'image-to-video', image_urls };
}

/** @param {File} file */
function kindOf(file) {
  const [, mediaKind] = /^(image|video|audio)\//.exec(file.mediaType ?? '') ?? [];
  if (mediaKind !== undefined || file.type === 'file') return mediaKind ?? 'image';
  const { pathname } = new URL(file.url);
  if (/\.(mp4|m4v|mov|webm|mkv)$/i.test(pathname)) return 'video';
  return /\.(mp3|wav|m4a|aac|ogg|flac)$/i.test(pathname) ? 'audio' : 'image';
}

/** Called when every file has a URL. @param {File} file */
const urlOf = (file) => (file.type === 'url' ? file.url : '');

/**
 * Uploads the files that are given as bytes. A retried call uploads them again; the service knows
 * the same content for the same request.
 * @param {Call} call @param {Settings} settings @returns {Promise<Call>}
 */
async function withUploads(call, settings) {
  /** @template {File | undefined} Given @param {Given} file @returns {Promise<Given | File>} */
  const upload = async (file) => {
    if (file?.type !== 'file') return file;
    const { data, mediaType } = file;
    const bytes = typeof data === 'string' ? fromBase64(data) : data;
    const headers = { ...call.headers, 'content-type': mediaType };
    const options = { body: bytes, headers, abortSignal: call.abortSignal };
    const response = await request(settings, '/v1/files', options);
    return { type: 'url', url: response.data.url, mediaType };
  };
  const { frameImages = [], inputReferences = [] } = call;
  // All at once: a promise that nothing waits for yet would end the process if it fails.
  const [image, frames, references] = await Promise.all([
    upload(call.image),
    Promise.all(frameImages.map((frame) => upload(frame.image))),
    Promise.all(inputReferences.map(upload)),
  ]);
  const withUrl = frameImages.map((frame, at) => ({ ...frame, image: frames[at] ?? frame.image }));
  return { ...call, image, frameImages: withUrl, inputReferences: references };
}

/** @param {string} text */
const fromBase64 = (text) => Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));

/** @param {Settings} settings @param {string} path @param {RequestOptions} options */
async function request(settings, path, { body, headers, abortSignal }) {
  // Read late, because a program may set the variables after importing this file.
  const env = /** @type {Named} */ (globalThis.process?.env ?? {});
  const base = (settings.baseURL ?? (env.VIDGEN_URL || defaultUrl)).replace(/(\/v1)?\/{0,9}$/, '');
  const authorization = `Bearer ${requireKey(settings.apiKey ?? env.VIDGEN_KEY, base)}`;
  const isFile = body instanceof Uint8Array;
  const target = { url: base + path, requestBodyValues: isFile ? undefined : body };
  const timeout = AbortSignal.timeout(isFile ? uploadTimeoutMs : requestTimeoutMs);
  const sent = /** @type {BodyInit} */ (isFile ? body : JSON.stringify(body));
  const postInit = { method: 'POST', body: sent };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const extraHeaders = { ...lowerCased(settings.headers), ...lowerCased(headers) };
  let response;
  let text;
  let data;
  try {
    response = await (settings.fetch ?? fetch)(target.url, {
      headers: { authorization, ...type, ...extraHeaders },
      // Following a redirect would turn a POST into a GET.
      redirect: 'manual',
      signal: abortSignal ? AbortSignal.any([abortSignal, timeout]) : timeout,
      ...(body === undefined ? {} : postInit),
    });
    text = await response.text();
    data = /^\s*\{/.test(text) ? JSON.parse(text) : undefined;
  } catch (cause) {
    if (abortSignal?.aborted) throw cause;
    const message = `No response from ${base}: ${errorText(cause)}.`;
    // The start may have taken effect; a retry with the same key returns that task.
    throw callError(message, { ...target, isRetryable: true, cause });
  }
  const { status: statusCode } = response;
  const responseHeaders = Object.fromEntries(response.headers);
  if (response.ok && data) return { data, responseHeaders };
  const unexpected = `${base} returned ${statusCode}, not in JSON; check the URL of the service.`;
  throw callError(data?.error?.message ?? unexpected, {
    ...target,
    statusCode,
    responseHeaders,
    responseBody: text,
    isRetryable: statusCode === 429 || statusCode >= 500,
    data,
  });
}

/** @param {string | undefined} key @param {string} base */
function requireKey(key = '', base) {
  if (/^[!-~]+$/.test(key.trim())) return key.trim();
  const problem = key.trim() === '' ? 'is missing' : 'has invalid characters';
  const advice = `Create one at ${base}/dashboard and set VIDGEN_KEY, or pass apiKey.`;
  throw sdkError('AI_LoadAPIKeyError', `The API key ${problem}. ${advice}`, {});
}

/** @param {Named} [headers] */
const lowerCased = (headers = {}) =>
  /** @type {Record<string, string>} */ (
    Object.fromEntries(
      Object.entries(headers)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name.toLowerCase(), value]),
    )
  );

/** @param {string} modelId @param {Record<string, string>} headers */
const responseOf = (modelId, headers) => ({ timestamp: new Date(), modelId, headers });

/** @param {unknown} error */
function errorText(error) {
  const { cause = error } = /** @type {Error} */ (error);
  const { code, message } = /** @type {Error & { code?: string | number }} */ (cause);
  return typeof code === 'string' ? code : message;
}

/**
 * The SDK recognizes its errors by these symbols.
 * @param {string} name @param {string} message @param {object} fields
 */
const sdkError = (name, message, fields) =>
  Object.assign(new Error(message), fields, {
    [Symbol.for('vercel.ai.error')]: true,
    [Symbol.for(`vercel.ai.error.${name}`)]: true,
    name,
  });

/**
 * The SDK retries when `isRetryable` is set.
 * @param {string} message
 * @param {{ url: string, isRetryable: boolean, [field: string]: unknown }} fields
 */
const callError = (message, fields) => sdkError('AI_APICallError', message, fields);
