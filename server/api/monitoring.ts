/**
 * `/healthz`, `/readyz` and `/metrics` of a worker, which has no API, on a port of their own. The
 * same responses as those of the API, to the same callers.
 */

import type { Server } from 'node:http';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { createHttpServer } from '../process/listen.ts';
import type { StorageCounts } from '../storage/storage.ts';
import type { ApiServices } from './http/handler.ts';
import { createMetrics } from './http/metrics.ts';
import { type HostRules, requireAllowedHost } from './http/request-origin.ts';
import { checkHealth, checkReadiness, mayReadMetrics } from './pages/health.ts';

export type MonitoringDeps = HostRules &
  Pick<ApiServices, 'lifecycle' | 'adminToken' | 'metricsToken' | 'storeProblems'> & {
    readonly openedStorage: { readonly counts: StorageCounts };
  };

const requestMsMax = 10_000;

export function createMonitoring(deps: MonitoringDeps): Server {
  const metrics = createMetrics(deps.lifecycle, deps.openedStorage.counts);
  const server = createHttpServer({ requestTimeout: requestMsMax });
  server.maxConnections = 100;
  server.on('request', async (request, response) => {
    const send = (status: number, type: string, text: string) =>
      void response.writeHead(status, { 'content-type': type }).end(text);
    try {
      const { localAddress } = request.socket;
      requireAllowedHost({ url: request.url!, headers: request.headers, localAddress }, deps);
      const [path] = request.url!.split('?');
      const check = { '/healthz': checkHealth, '/readyz': checkReadiness }[path!];
      if (request.method !== 'GET') return send(405, 'text/plain', 'Method not allowed.\n');
      if (check) {
        const { status = 200, body } = await check(deps);
        return send(status, 'application/json', JSON.stringify(body));
      }
      if (path !== '/metrics') return send(404, 'text/plain', 'Not found.\n');
      const caller = { remoteAddress: request.socket.remoteAddress, headers: request.headers };
      if (!mayReadMetrics(deps, caller)) {
        return send(401, 'text/plain', 'Metrics require the metrics or admin token.\n');
      }
      send(200, 'text/plain; version=0.0.4; charset=utf-8', await metrics.text());
    } catch (error) {
      if (error instanceof ApiError) return send(403, 'text/plain', `${error.message}\n`);
      deps.lifecycle.log.error({ error }, 'monitoring request failed');
      send(500, 'text/plain', 'Internal error.\n');
    }
  });
  return server;
}
