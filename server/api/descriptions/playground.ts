/** The dashboard's playground: models, create and estimate by a person, files of their own. */
import { AccountParams } from '@vidgen/contract/admin-accounts.ts';
import {
  CreateGenerationRequest,
  CreateGenerationResponse,
} from '@vidgen/contract/create-generation.ts';
import { PlaygroundEstimate, PlaygroundQuery, Upload } from '@vidgen/contract/playground.ts';
import { z } from 'zod';
import { modelsResponse } from '../v1/list-models.ts';
import { generationExamples } from '../v1/samples.ts';
import { adminErrors, errorExample, errorResponses, sessionErrors } from './errors.ts';
import type { RouteDescription } from './route-description.ts';
import { createdAt, taskId } from './samples.ts';

const noAccount = errorExample('not_found', 'There is no account with this id.');
const invalidRequest = (message: string) => errorExample('invalid_request', message);

export const listPlaygroundModels: RouteDescription = {
  operationId: 'listPlaygroundModels',
  method: 'GET',
  path: '/admin/models',
  summary: 'Limits and prices of each model, for people',
  description: 'Those that are served in either mode. One page holds them all.',
  tag: 'Admin',
  auth: 'person',
  responses: { 200: modelsResponse as never, ...sessionErrors([]) },
};

export const createInPlayground: RouteDescription = {
  operationId: 'createInPlayground',
  method: 'POST',
  path: '/admin/accounts/:id/generations',
  summary: 'Create a video task as a person',
  description:
    'The same checks, the same answer and the same rate as `POST /v1/videos/generations`, with ' +
    'the key of the playground, which nobody holds.',
  tag: 'Admin',
  auth: 'member',
  role: 'developer',
  resource: 'account',
  params: AccountParams,
  query: PlaygroundQuery,
  body: CreateGenerationRequest,
  requestHeaders: ['Idempotency-Key'],
  requestExamples: generationExamples as never,
  responses: {
    200: {
      description: 'The task is accepted and its credits are reserved.',
      schema: CreateGenerationResponse,
      headers: ['vidgen-ignored'],
      examples: { accepted: { summary: 'Accepted', value: { taskId, credits: 40 } } },
    },
    ...adminErrors(['invalid_request', 'insufficient_credits', 'not_found', 'rate_limited'], {
      invalid_request: invalidRequest('input.duration must be 4 to 30 for vidgen-2-5 (got 45)'),
      not_found: noAccount,
    }),
  },
};

export const estimateInPlayground: RouteDescription = {
  operationId: 'estimateInPlayground',
  method: 'POST',
  path: '/admin/accounts/:id/generations/estimate',
  summary: 'What a task would cost, and how long it may take',
  description: 'Nothing is fetched or reserved. Times are those of the last 200 tasks like it.',
  tag: 'Admin',
  auth: 'member',
  role: 'viewer',
  resource: 'account',
  params: AccountParams,
  query: PlaygroundQuery,
  body: CreateGenerationRequest,
  requestExamples: generationExamples as never,
  responses: {
    200: {
      description: 'The estimate.',
      schema: PlaygroundEstimate,
      headers: ['vidgen-ignored'],
      examples: {
        usual: {
          summary: 'With a past to tell from',
          value: {
            credits: 40,
            available: 12_840,
            time: { p50_seconds: 92.4, p95_seconds: 171, tasks: 200 },
          },
        },
        first: {
          summary: 'The first of its kind',
          value: { credits: 40, available: 12_840, time: null },
        },
      },
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      invalid_request: invalidRequest('mode must be one of live, test (got "prod")'),
      not_found: noAccount,
    }),
  },
};

export const uploadFile: RouteDescription = {
  operationId: 'uploadFile',
  method: 'POST',
  path: '/admin/accounts/:id/uploads',
  summary: 'Upload a file to use as a material',
  description:
    'The body is the file itself, as large as a material of its kind may be. What it is, is told ' +
    'by its first bytes. It is kept for 48 hours; an account may hold 2 GiB.',
  tag: 'Admin',
  auth: 'member',
  role: 'developer',
  resource: 'account',
  params: AccountParams,
  bodyType: 'application/octet-stream',
  responses: {
    201: {
      description: 'The address to use as a material.',
      schema: Upload,
      examples: {
        picture: {
          summary: 'A picture',
          value: {
            url:
              'https://videos.example.com/uploads/' +
              '9f86d081884c7d65-2c26b46b68ffc68ff99b453c1d304134.png?expires=1767441600&' +
              'signature=Jx3…',
            kind: 'image',
            bytes: 184_320,
            expires_at: createdAt + 172_800,
          },
        },
      },
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      invalid_request: invalidRequest('An image must be at most 30 MiB.'),
      not_found: noAccount,
    }),
  },
};

export const getUpload: RouteDescription = {
  operationId: 'getUpload',
  method: 'GET',
  path: '/uploads/:name',
  summary: 'An uploaded file',
  description:
    'Signed, needs no key, answers `Range` requests, and ends 48 hours after the upload.',
  tag: 'Tasks',
  auth: 'none',
  params: z.object({ name: z.string() }),
  query: z.object({ expires: z.string(), signature: z.string() }),
  responses: {
    200: { description: 'The whole file.', contentType: 'image/png' },
    206: { description: 'The part that `Range` asked for.', contentType: 'image/png' },
    304: { description: 'The file is the one that `If-None-Match` names.' },
    416: { description: 'The file has no such part.' },
    ...errorResponses(['not_found'], {
      not_found: errorExample('not_found', 'There is no such upload, or its two days are over.'),
    }),
  },
};

export const getMaterialImage: RouteDescription = {
  operationId: 'getMaterialPicture',
  method: 'GET',
  path: '/admin/tasks/:id/materials/:list/:number',
  summary: 'A picture that a task refers to',
  description: 'Fetched from its address each time; only what begins like a picture is shown.',
  tag: 'Admin',
  auth: 'member',
  role: 'viewer',
  resource: 'task',
  params: z.object({
    id: z.string().describe('The task.'),
    list: z.enum(['images']),
    number: z.string().describe('Its place in `image_urls`, from 1.'),
  }),
  responses: {
    200: { description: 'The picture.', contentType: 'image/png' },
    ...adminErrors(['not_found'], {
      not_found: errorExample('not_found', 'The picture could not be fetched.'),
    }),
  },
};
