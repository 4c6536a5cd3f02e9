/** Serves the metrics for Prometheus: to this machine, and elsewhere with one of two tokens. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { z } from 'zod';
import { hasAdminToken } from '../http/authorize.ts';
import { endpoint } from '../http/endpoint.ts';
import type { Endpoint } from '../http/endpoint-definition.ts';
import type { ApiServices } from '../http/handler.ts';
import type { Metrics } from '../http/metrics.ts';

/** With one of these, the socket belongs to a proxy and says nothing about the caller. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

export const getMetrics = (metrics: Metrics): Endpoint =>
  endpoint({
    operationId: 'metrics',
    method: 'GET',
    path: '/metrics',
    summary: 'Get metrics for Prometheus',
    description: 'Open to this machine itself; from elsewhere with the metrics or admin token.',
    auth: 'admin',
    authorizesItself: true,
    responses: {
      200: { description: 'Prometheus text.', schema: z.string(), contentType: 'text/plain' },
    },
    errors: {
      invalid_api_key: 'Metrics need the admin token, or a direct call from this machine.',
    },
    async handler(services, { remoteAddress, headers: requestHeaders }) {
      const caller = { remoteAddress: remoteAddress(), headers: requestHeaders };
      if (!mayReadMetrics(services, caller)) {
        throw new ApiError(
          'invalid_api_key',
          'Metrics require the admin token or a direct request from this machine.',
        );
      }
      const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
      return { text: await metrics.text(), headers };
    },
  });

export function mayReadMetrics(
  { adminToken, metricsToken }: Pick<ApiServices, 'adminToken' | 'metricsToken'>,
  caller: {
    readonly remoteAddress: string | undefined;
    readonly headers: Readonly<Record<string, unknown>>;
  },
): boolean {
  const { remoteAddress, headers } = caller;
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(remoteAddress ?? '');
  const isDirect = proxyHeaders.every((name) => headers[name] === undefined);
  const authorization = headers.authorization as string | undefined;
  return (
    (isLocal && isDirect) ||
    [adminToken, metricsToken].some(
      (token) => token !== null && hasAdminToken({ adminToken: token }, authorization),
    )
  );
}
