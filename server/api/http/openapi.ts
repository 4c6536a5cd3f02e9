/**
 * Builds the OpenAPI 3.1 document from the endpoints. Shapes come from the schemas that also check
 * requests, so the document matches the service.
 */
import { CompletionPayload, FailurePayload } from '@vidgen/contract/webhook-payload.ts';
import { z } from 'zod';
import {
  type Endpoint,
  type Examples,
  type ResponseDescription,
  tagGroups,
  tags,
} from './endpoint-definition.ts';
import { headersOf, requestHeaders, responseHeaders, webhookHeaders } from './openapi-headers.ts';
import { overview } from './openapi-overview.ts';
import { createSchemaRegistry, type Json, type SchemaRegistry } from './openapi-schemas.ts';
import { completionPayload, failurePayload } from './samples.ts';

export function openApiDocument({
  routes,
  publicUrl,
  version,
}: {
  readonly routes: readonly Endpoint[];
  readonly publicUrl: string;
  readonly version: string;
}): Json {
  const registry = createSchemaRegistry();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    if (route.hidden) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, registry) };
  }
  const webhooks = {
    completion: webhookOperation(registry.wire(CompletionPayload), {
      call: ['Task completed', completionPayload],
    }),
    failure: webhookOperation(registry.wire(FailurePayload), {
      call: ['Task failed', failurePayload],
    }),
  };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Video Generation Service',
      version,
      description: overview(publicUrl),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    'x-tagGroups': tagGroups,
    paths,
    webhooks,
    components: {
      // Last, when all operations have registered their schemas.
      schemas: registry.components(),
      headers: responseHeaders,
      parameters: requestHeaders,
      securitySchemes,
    },
  };
}

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'vg_live_… or vg_test_…',
    description: 'An API key of the account: it selects the mode and the balance.',
  },
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The operator’s token, `VIDGEN_ADMIN_TOKEN`.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-vidgen_session',
    description:
      'The dashboard’s cookie, from `POST /session`. Requests that change something must come ' +
      'from pages of this service. Over plain HTTP beyond loopback it is `vidgen_session`.',
  },
} as const;

const security = {
  key: [{ apiKey: [] }],
  admin: [{ adminToken: [] }, { session: [] }],
  member: [{ adminToken: [] }, { session: [] }],
  person: [{ session: [] }],
  none: [],
} as const;

/** `x-badges` is what the reference shows. */
const extensionMark = {
  'x-vidgen-extension': true,
  'x-badges': [{ name: 'Extension', position: 'before' }],
} as const;

function operationOf(route: Endpoint, registry: SchemaRegistry): Json {
  const parameters = parametersOf(route, registry);
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: descriptionOf(route),
    security: security[route.auth],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body || route.bodyType ? { requestBody: requestBodyOf(route, registry) } : {}),
    responses: Object.fromEntries(
      Object.entries(route.responses).map(([status, response]) => [
        status,
        responseOf(response, { isLimited: route.auth === 'key', registry }),
      ]),
    ),
    ...(route.extension ? extensionMark : {}),
  };
}

function requestBodyOf(route: Endpoint, registry: SchemaRegistry): Json {
  const { body, bodyType, bodyIsOptional, requestExamples, materialBody } = route;
  const form = route.form ?? (materialBody === 'form' ? body : undefined);
  return {
    required: !bodyIsOptional,
    content: {
      ...(body ? jsonContent(registry.wire(body), requestExamples) : {}),
      ...(bodyType ? { [bodyType]: {} } : {}),
      ...(form ? contentOf(registry.wire(form), { contentType: 'multipart/form-data' }) : {}),
    },
  };
}

/** What the endpoint does, and in a paragraph of its own what the caller needs. */
function descriptionOf(route: Endpoint): string {
  const { description = '', permission, auth, role, requiresConfirmation } = route;
  const needs = [
    permission ? `**Permission:** \`${permission}\`` : '',
    auth === 'member' ? `**Role:** \`${role}\` or higher in the account` : '',
    requiresConfirmation ? '**Session:** confirmed with the password in the last ten minutes' : '',
  ].filter((part) => part !== '');
  return [description, needs.join(' · ')].filter((part) => part !== '').join('\n\n');
}

function parametersOf(route: Endpoint, registry: SchemaRegistry): Json[] {
  const inHeader = (route.requestHeaders ?? []).map((name) => ({
    $ref: `#/components/parameters/${name}`,
  }));
  return [
    ...fieldParameters('path', registry, route.params),
    ...fieldParameters('query', registry, route.query),
    ...inHeader,
  ];
}

function fieldParameters(
  location: 'path' | 'query',
  registry: SchemaRegistry,
  fields: z.ZodObject | undefined,
): Json[] {
  if (!fields) return [];
  return Object.entries(registry.fields(fields)).map(([name, { description, ...schema }]) => ({
    name,
    in: location,
    required: location === 'path' || !isOmittable(fields.shape[name]),
    ...(description === undefined ? {} : { description }),
    ...(isPairs(fields.shape[name]) ? { style: 'deepObject', explode: true } : {}),
    schema,
  }));
}

/** Sent as `name[key]=value`. */
const isPairs = (field: z.core.SomeType | undefined): boolean =>
  field instanceof z.ZodOptional && field.unwrap() instanceof z.ZodRecord;

const isOmittable = (field: z.core.SomeType | undefined): boolean =>
  field !== undefined && (field as z.ZodType).safeParse(undefined).success;

function responseOf(
  response: ResponseDescription,
  { isLimited, registry }: { readonly isLimited: boolean; readonly registry: SchemaRegistry },
): Json {
  const { description, schema, contentType, alsoCsv, examples, headers = [] } = response;
  const content = {
    ...(schema || contentType
      ? contentOf(schema ? registry.wire(schema) : null, { contentType, examples })
      : {}),
    ...(alsoCsv ? { 'text/csv': {} } : {}),
  };
  return {
    description,
    headers: headersOf({ isLimited, own: headers }),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

const contentOf = (
  schema: Json | null,
  {
    contentType = 'application/json',
    examples,
  }: { readonly contentType?: string | undefined; readonly examples?: Examples | undefined },
) => ({
  [contentType]: {
    ...(schema ? { schema } : {}),
    ...(examples ? { examples: examplesOf(examples) } : {}),
  },
});

const examplesOf = (examples: Examples): Json =>
  Object.fromEntries(
    Object.entries(examples).map(([name, [summary, value]]) => [name, { summary, value }]),
  );

const jsonContent = (schema: Json, examples?: Examples) => contentOf(schema, { examples });

function webhookOperation(schema: Json, examples: { readonly call: Examples[string] }): Json {
  return {
    post: {
      tags: ['Webhooks'],
      summary: examples.call[0],
      description:
        'Sent to the `callback_url` of the task. Respond with 2xx within 15 seconds; otherwise ' +
        'it is sent again, up to 5 times.',
      security: [],
      parameters: webhookHeaders,
      requestBody: { required: true, content: jsonContent(schema, examples) },
      responses: {
        '2XX': { description: 'Received; the webhook is not retried.' },
        default: {
          description: 'Any other response, or none within 15 seconds: the webhook is retried.',
        },
      },
    },
  };
}
