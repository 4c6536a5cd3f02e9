/** Serves a file of the dashboard. Its name contains a hash of its content, so it never changes. */
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { routeNotFound } from '../http/error-response.ts';
import { builtFileResponse, currentBuild } from './dashboard-build.ts';

export const dashboardAsset = endpoint({
  operationId: 'dashboardAsset',
  method: 'GET',
  path: '/dashboard/assets/:name',
  summary: 'Get a file of the dashboard',
  auth: 'none',
  hidden: true,
  allowsHead: true,
  params: z.object({ name: z.string() }),
  responses: { 200: { description: 'The file.', contentType: 'text/javascript' } },
  errors: { not_found: true },
  async handler(_services, request) {
    const file = currentBuild()?.files.get(`assets/${request.params.name}`);
    if (!file) throw routeNotFound();
    return await builtFileResponse(file, request, 'public, max-age=31536000, immutable');
  },
});
