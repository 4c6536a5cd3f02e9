/** Serves the OpenAPI document of all endpoints. */
import { z } from 'zod';
import { version } from '../../config/version.ts';
import { endpoint } from '../http/endpoint.ts';
import type { Endpoint } from '../http/endpoint-definition.ts';
import { openApiDocument } from '../http/openapi.ts';

export function getOpenApi(routes: () => readonly Endpoint[]): Endpoint {
  // Built once: it takes about 50 ms, everyone may call, and it does not change while running.
  let text: string | undefined;
  return endpoint({
    operationId: 'openApi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get this document',
    auth: 'none',
    responses: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({}) } },
    async handler({ publicUrl }) {
      const options = { routes: routes(), publicUrl: publicUrl(), version };
      text ??= JSON.stringify(openApiDocument(options));
      return { text, headers: { 'content-type': 'application/json; charset=utf-8' } };
    },
  });
}
