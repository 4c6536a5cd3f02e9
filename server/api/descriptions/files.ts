/** Addresses that the service itself hands out, and the pages a person lands on. */
import { z } from 'zod';
import { errorExample, errorResponses } from './errors.ts';
import type { RouteDescription } from './route-description.ts';

export const getResult: RouteDescription = {
  operationId: 'getResult',
  method: 'GET',
  path: '/results/:taskId/:name',
  summary: 'A video or a last frame',
  description:
    'The addresses in `data.results` and `data.last_frame_url` lead here. They are signed, need ' +
    'no key, answer `Range` requests, and end with `video_expires_at`.',
  tag: 'Tasks',
  auth: 'none',
  params: z.object({ taskId: z.string(), name: z.string() }),
  query: z.object({ expires: z.string(), signature: z.string() }),
  responses: {
    200: { description: 'The whole file.', contentType: 'video/mp4' },
    206: { description: 'The part that `Range` asked for.', contentType: 'video/mp4' },
    304: { description: 'The file is the one that `If-None-Match` names.' },
    416: { description: 'The file has no such part.' },
    ...errorResponses(['not_found'], {
      not_found: errorExample(
        'not_found',
        'This result has expired: its files are deleted at video_expires_at.',
      ),
    }),
  },
};

export const providerCallback: RouteDescription = {
  operationId: 'providerCallback',
  method: 'POST',
  path: '/callbacks/:provider/:reference',
  summary: 'A provider says that something changed',
  description:
    'Given to generators, not to clients. Only a hint, whoever signed it: the state is read from ' +
    'the generator.',
  tag: 'Service',
  auth: 'none',
  hidden: true,
  params: z.object({ provider: z.string(), reference: z.string() }),
  responses: { 204: { description: 'Heard.' } },
};

export const sharedCallback: RouteDescription = {
  ...providerCallback,
  operationId: 'sharedProviderCallback',
  path: '/callbacks/:provider',
  description:
    'For generators that have one address for all their callbacks, and sign them. Only a hint: ' +
    'the state is read from the generator.',
  params: z.object({ provider: z.string() }),
};

export const docsScript: RouteDescription = {
  operationId: 'docsScript',
  method: 'GET',
  path: '/docs/scalar.js',
  summary: 'The script of the reference page',
  tag: 'Service',
  auth: 'none',
  hidden: true,
  responses: { 200: { description: 'JavaScript.', contentType: 'text/javascript' } },
};

export const startPage: RouteDescription = {
  operationId: 'startPage',
  method: 'GET',
  path: '/',
  summary: 'The dashboard, from the bare address',
  tag: 'Service',
  auth: 'none',
  hidden: true,
  responses: { 200: { description: 'A page for people.', contentType: 'text/html' } },
};

export const dashboard: RouteDescription = {
  operationId: 'dashboard',
  method: 'GET',
  path: '/dashboard',
  summary: 'The dashboard',
  tag: 'Service',
  auth: 'none',
  hidden: true,
  responses: { 200: { description: 'A page for people.', contentType: 'text/html' } },
};

export const dashboardPage: RouteDescription = {
  ...dashboard,
  operationId: 'dashboardPage',
  path: '/dashboard/*',
};

export const dashboardAsset: RouteDescription = {
  operationId: 'dashboardAsset',
  method: 'GET',
  path: '/dashboard/assets/:name',
  summary: 'A file of the dashboard',
  tag: 'Service',
  auth: 'none',
  hidden: true,
  params: z.object({ name: z.string() }),
  responses: {
    200: { description: 'The file.', contentType: 'text/javascript' },
    ...errorResponses(['not_found']),
  },
};
