/**
 * Creates a task through ModelArk's API. It is accepted and paid for like any other; its callbacks
 * have ModelArk's shape.
 */
import {
  ModelArkCreateRequest,
  ModelArkCreateResponse,
  ModelArkErrorResponse,
} from '@vidgen/contract/modelark.ts';
import { announceChange } from '../../../lifecycle/settle/follow-ups.ts';
import { endpoint } from '../../http/endpoint.ts';
import { taskId } from '../../http/samples.ts';
import { createTranslated } from '../translated-create.ts';
import { formatModelArkError } from './errors.ts';
import { findModel } from './find-model.ts';
import { modelArkExamples } from './samples.ts';
import { translateCreate } from './translate-create.ts';

export const createModelArkTask = endpoint({
  parsesItself: true,
  operationId: 'createModelArkTask',
  method: 'POST',
  path: '/api/v3/contents/generations/tasks',
  summary: 'Create a task',
  description:
    'Takes the body of ModelArk’s API and does the same as `POST /v1/videos/generations`. ' +
    'A parameter that this service does not have is refused by name.',
  auth: 'key',
  permission: 'videos:create',
  rateLimit: 'create',
  body: ModelArkCreateRequest,
  materialBody: 'json',
  requestHeaders: ['Idempotency-Key'],
  requestExamples: modelArkExamples,
  responses: {
    200: {
      description: 'The task is accepted and its credits are reserved.',
      schema: ModelArkCreateResponse,
      examples: { accepted: ['Accepted', { id: taskId }] },
    },
  },
  errors: {
    insufficient_credits: true,
    invalid_request: 'duration must be 4 to 30 for vidgen-2-5 (got 45)',
    not_found:
      'model "seedance-9" is not served here; use a model of GET /v1/models, or ask the ' +
      'operator for an alias',
  },
  formatError: formatModelArkError,
  errorSchema: ModelArkErrorResponse,
  async handler(services, request) {
    const { lifecycle } = services;
    const translated = translateCreate(request.body, (name) => findModel(lifecycle.catalog, name));
    const { created, headers } = await createTranslated(services, request, translated);
    const { taskId: id } = created;
    if (translated.body.callback_url !== undefined) announceChange(lifecycle, id);
    return { body: { id }, headers: { ...headers } };
  },
});
