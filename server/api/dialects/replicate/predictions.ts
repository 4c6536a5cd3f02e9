/** Creates, reads and cancels predictions in Replicate's format. */
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import {
  CreatePredictionRequest,
  Prediction,
  PredictionModelParams,
  ReplicateErrorResponse,
} from '@vidgen/contract/replicate-predictions.ts';
import { cancel } from '../../../lifecycle/cancel.ts';
import { isFinal, type Task } from '../../../tasks/task.ts';
import { endpoint, jsonResponse } from '../../http/endpoint.ts';
import { errorResponse } from '../../http/error-response.ts';
import type { ApiRequest, ApiServices, FormatError } from '../../http/handler.ts';
import { completedTask, taskId } from '../../http/samples.ts';
import { findOwnTask, readKnownTask, waitForChange } from '../../v1/tasks.ts';
import { createTranslated } from '../translated-create.ts';
import { predictionView, startingPrediction } from './prediction-view.ts';
import { findOwnedModel, translatePrediction } from './translate.ts';

export const replicateError: FormatError = (error) => {
  const { status, headers } = errorResponse(error);
  const body: ReplicateErrorResponse = { title: error.code, detail: error.message, status };
  return { status, headers, body };
};

/** Of creates by version, which no endpoint has. */
const noVersion = 'Models have no versions here; use POST /v1/models/{owner}/{name}/predictions.';
export const noVersionError: FormatError = ({ code, message }) =>
  replicateError(new ApiError(code, code === 'not_found' ? noVersion : message));

const replicateDefinition = {
  auth: 'key',
  extension: true,
  formatError: replicateError,
  errorSchema: ReplicateErrorResponse,
} as const;

const input = { prompt: 'A paper boat drifts across a lake at dusk', duration: 5 };
const sample = { id: taskId, model: 'vidgen-2-5', input };
const starting = startingPrediction('https://videos.example.com', sample);
const output = completedTask.data.results[0];
const succeeded = { ...starting, status: 'succeeded', output, metrics: { predict_time: 94 } };
const failed = { ...starting, status: 'failed', error: 'The provider timed out.' };

/** Less than the 60 s after which common proxies give up. */
const waitSecondsMax = 50;

/** The task at the end of `Prefer: wait` or `wait=10`; null without either. */
async function taskAfterWait(services: ApiServices, request: ApiRequest, id: string) {
  const [prefers, seconds] = /\bwait\b(?:=(\d{1,4}))?/.exec(String(request.headers.prefer)) ?? [];
  const found = prefers ? await services.tasks.findState(id) : null;
  if (!found) return null;
  const wait = Math.min(Number(seconds ?? waitSecondsMax), waitSecondsMax);
  await waitForChange(services, request, { found, wait, until: 'final' });
  return await services.tasks.find(id);
}

const viewOf = ({ lifecycle, publicUrl }: ApiServices, task: Task): Prediction =>
  predictionView(publicUrl(), task, lifecycle.resultUrl);

const createPrediction = endpoint({
  ...replicateDefinition,
  operationId: 'createPrediction',
  method: 'POST',
  path: '/v1/models/:owner/:name/predictions',
  summary: 'Create a prediction',
  description:
    'The same create as `POST /v1/videos/generations`, for clients of Replicate. With the header ' +
    `\`Prefer: wait\` it responds when the prediction has ended, or after ${waitSecondsMax} s.`,
  permission: 'videos:create',
  rateLimit: 'create',
  params: PredictionModelParams,
  body: CreatePredictionRequest,
  materialBody: 'json',
  // A create can take 60 s before it waits.
  secondsMax: 60 + waitSecondsMax + 10,
  requestHeaders: ['Idempotency-Key'],
  requestExamples: {
    'text-to-video': ['Text to video', { input }],
    'image-to-video': [
      'A first frame, and a webhook',
      {
        input: { ...input, image: 'https://media.example.com/boat.png' },
        webhook: 'https://hooks.example.com/replicate',
        webhook_events_filter: ['completed'],
      },
    ],
  },
  responses: {
    201: jsonResponse('The task is accepted and its credits are reserved.', Prediction, {
      accepted: ['Accepted', starting],
      waited: ['With `Prefer: wait`', succeeded],
    }),
  },
  errors: {
    insufficient_credits: true,
    invalid_request: 'input.duration must be 4 to 30 for vidgen-2-5 (got 45)',
    not_found: 'model "acme/tiny" is not served here; use a model of GET /v1/models',
  },
  async handler(services, request) {
    const { params, headers, body } = request;
    if (headers['cancel-after'] !== undefined) {
      throw invalidRequest(
        'The Cancel-After header is not supported; cancel the prediction instead.',
      );
    }
    const model = findOwnedModel(services.lifecycle.catalog, [params.owner!, params.name!]);
    const translated = translatePrediction(model, body);
    const { created, ...response } = await createTranslated(services, request, translated);
    const { taskId: id } = created;
    // The task is accepted: nothing may fail any more.
    const task = await taskAfterWait(services, request, id).catch(() => null);
    const prediction =
      task && isFinal(task)
        ? viewOf(services, task)
        : // Replicate's client takes any other status for the end of its wait.
          startingPrediction(services.publicUrl(), { id, model: model.name, input: body.input });
    return { status: 201, body: prediction, headers: { ...response.headers } };
  },
});

const getPrediction = endpoint({
  ...replicateDefinition,
  operationId: 'getPrediction',
  method: 'GET',
  path: '/v1/predictions/:id',
  summary: 'Get a prediction',
  description: 'Any task of the account, however it was created.',
  permission: 'tasks:read',
  clientsRetryByCreating: true,
  responses: {
    200: jsonResponse('The prediction.', Prediction, {
      starting: ['Waiting', starting],
      succeeded: ['Succeeded', succeeded],
      failed: ['Failed, and refunded', failed],
    }),
  },
  handler: async (services, request) => ({
    body: viewOf(services, await readKnownTask(services, request)),
  }),
});

const cancelPrediction = endpoint({
  ...replicateDefinition,
  operationId: 'cancelPrediction',
  method: 'POST',
  path: '/v1/predictions/:id/cancel',
  summary: 'Cancel a prediction',
  description: 'As `POST /v1/tasks/:id/cancel`, but one that has ended is returned as it is.',
  permission: 'tasks:cancel',
  responses: {
    200: jsonResponse('The prediction.', Prediction, {
      canceled: ['Canceled, and refunded', { ...starting, status: 'canceled' }],
    }),
  },
  async handler(services, request) {
    // A test key must not stop what live credits pay for.
    const task = await findOwnTask(services, request, { ofKeyMode: true });
    const last = isFinal(task) ? task : await cancel(services.lifecycle, task, request);
    return { body: viewOf(services, last) };
  },
});

export const predictionEndpoints = [createPrediction, getPrediction, cancelPrediction];
