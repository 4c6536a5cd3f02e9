/** Endpoints about the service itself: whether it is up, its figures, its description. */
import { HealthResponse } from '@vidgen/contract/admin-audit.ts';
import { z } from 'zod';
import { errorExample, errorResponses } from './errors.ts';
import type { RouteDescription } from './route-description.ts';

const health = (checks: Record<string, string>) => ({
  ok: Object.values(checks).every((check) => check === 'ok'),
  checks,
});

export const healthz: RouteDescription = {
  operationId: 'healthz',
  method: 'GET',
  path: '/healthz',
  summary: 'Is it alive',
  tag: 'Service',
  auth: 'none',
  responses: {
    200: {
      description: 'Requests are served and the database is reachable.',
      schema: HealthResponse,
      examples: { up: { summary: 'Up', value: health({ database: 'ok' }) } },
    },
    503: {
      description: 'The database is not reachable.',
      schema: HealthResponse,
      examples: { down: { summary: 'Down', value: health({ database: 'not reachable' }) } },
    },
  },
};

export const readyz: RouteDescription = {
  operationId: 'readyz',
  method: 'GET',
  path: '/readyz',
  summary: 'Is it ready for traffic',
  tag: 'Service',
  auth: 'none',
  responses: {
    200: {
      description:
        'Migrations are applied, and every model has a provider: one without is not served.',
      schema: HealthResponse,
      examples: {
        ready: {
          summary: 'Ready',
          value: health({ migrations: 'ok', providers: 'ok' }),
        },
      },
    },
    503: {
      description: 'Not yet.',
      schema: HealthResponse,
      examples: {
        waiting: {
          summary: 'Not yet',
          value: health({
            migrations: 'ok',
            providers: 'no provider for vidgen-2-0-mini',
          }),
        },
      },
    },
  },
};

export const metrics: RouteDescription = {
  operationId: 'metrics',
  method: 'GET',
  path: '/metrics',
  summary: 'Figures for Prometheus',
  description: 'Open to this machine itself; from elsewhere with the admin token.',
  tag: 'Service',
  auth: 'admin',
  responses: {
    200: {
      description: 'Prometheus text.',
      schema: z.string(),
      contentType: 'text/plain',
    },
    ...errorResponses(['invalid_api_key'], {
      invalid_api_key: errorExample(
        'invalid_api_key',
        'Metrics need the admin token, or a direct call from this machine.',
      ),
    }),
  },
};

export const openApi: RouteDescription = {
  operationId: 'openApi',
  method: 'GET',
  path: '/openapi.json',
  summary: 'This document',
  tag: 'Service',
  auth: 'none',
  responses: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({}) } },
};

export const docs: RouteDescription = {
  operationId: 'docs',
  method: 'GET',
  path: '/docs',
  summary: 'The reference page',
  tag: 'Service',
  auth: 'none',
  responses: {
    200: {
      description: 'A page made of this document.',
      schema: z.string(),
      contentType: 'text/html',
    },
  },
};
