/** The OpenAPI document, made from the definitions of the endpoints. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { errorTable } from '@vidgen/contract/error-response.ts';
import { CompletionPayload, FailurePayload } from '@vidgen/contract/webhook-payload.ts';
import { z } from 'zod';
import {
  type Endpoint,
  type Examples,
  type ResponseDescription,
  tagGroups,
  tags,
} from './endpoint-definition.ts';
import { headersOf, requestHeaders, responseHeaders, webhookHeaders } from './openapi-errors.ts';
import { completionPayload, failurePayload } from './samples.ts';

const errorRows = Object.entries(errorTable)
  .map(([code, { http, condition, retry }]) => `| ${http} \`${code}\` | ${condition} | ${retry} |`)
  .join('\n');

const overview = (publicUrl: string): string =>
  `
Generate videos from text, images, video and sound. Create a task, wait until it has completed, and
download the video.

## First request

1. **Base URL:** \`${publicUrl}\`
2. **API key:** create one in the [dashboard](${publicUrl}/dashboard), and put it in the
   environment: \`export VIDGEN_KEY=vg_test_…\`
3. **Create a video:**

\`\`\`bash
curl ${publicUrl}/v1/videos/generations \\
  -H "Authorization: Bearer $VIDGEN_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "vidgen-2-5",
    "input": {
      "prompt": "Waves roll onto a wide beach at dawn"
    }
  }'
\`\`\`

The response has the \`taskId\`. Send it to
[get task status](#tag/tasks/GET/v1/tasks/{id}) with \`?until=final\` to wait for the video. The
[quick start](${publicUrl}/guides/quick-start) does the same in TypeScript and Python.

## Authentication

Send the key as \`Authorization: Bearer <API_KEY>\` with every request. Its beginning tells the
mode:

| Key | Spends | Makes |
|---|---|---|
| \`vg_live_…\` | live credits | videos |
| \`vg_test_…\` | test credits, at no cost | previews |

A key has one or more permissions: \`videos:create\`, \`tasks:read\`, \`tasks:cancel\`,
\`tasks:delete\`.

With a test key, a word in the prompt forces an outcome: \`[test:fail]\`, \`[test:reject]\`,
\`[test:timeout]\` or \`[test:slow]\`.

## Credits

Credits are reserved when a task is accepted, charged when it completes, and refunded when it
fails, times out or is canceled. The \`credits\` in the response of a create are exact.

## Rate limits

By default, a key can send 100 creates and 600 other requests per minute. Every response has the
current state in the headers \`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and
\`x-ratelimit-reset\`.

## Errors

Every error has the same form. Its message is one sentence that names everything wrong with the
request.

\`\`\`json
{
  "error": {
    "code": "invalid_request",
    "message": "input.duration must be 4 to 30 for vidgen-2-5 (got 45)"
  }
}
\`\`\`

| Error | Meaning | Retry |
|---|---|---|
${errorRows}

\`insufficient_credits\` also has \`required\` and \`available\`; \`rate_limited\` has
\`retry_after\` in seconds.

## Extensions

This service implements a published contract: create a video task, get its status, and webhooks.
Endpoints with the badge Extension are additions, and so are some fields and headers; they never
change what the contract defines. [openapi.json](${publicUrl}/openapi.json) marks each of them.
`.trim();

type Json = Readonly<Record<string, unknown>>;

type SchemaRegistry = {
  wire(schema: z.ZodType): Json;
  /** Converts the fields of a query or a path to the types they are parsed to. */
  fields(schema: z.ZodObject): Readonly<Record<string, Json>>;
  /** All schemas with an id that were converted so far. */
  components(): Readonly<Record<string, Json>>;
};

/**
 * Converts Zod schemas to the JSON Schemas of the OpenAPI document. Schemas with an id become
 * components, which are referenced; the others are inlined.
 */
function createSchemaRegistry(): SchemaRegistry {
  const components = new Map<string, Json>();

  function convert(schema: z.ZodType, io: 'input' | 'output'): Json {
    const options = { io, unrepresentable: 'any', override: forEveryReader } as const;
    const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, options);
    for (const [name, definition] of Object.entries($defs)) {
      const component = withReferences(definition) as Json;
      const known = components.get(name);
      assert(!known || isDeepStrictEqual(known, component), `two schemas are named ${name}`);
      components.set(name, component);
    }
    return withReferences(own) as Json;
  }

  return {
    wire: (schema) => convert(schema, 'input'),
    fields: (schema) => convert(schema, 'output').properties as Record<string, Json>,
    components: () =>
      Object.fromEntries([...components].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/**
 * Removes the bounds of safe integers, which are limits of JavaScript and not of the service, and
 * patterns with classes of Unicode, which most validators do not know.
 */
function forEveryReader({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (String(jsonSchema.pattern ?? '').includes('\\p{')) delete jsonSchema.pattern;
}

/** Points references to definitions of the schema to the components of the document. */
function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace(/^#\/\$defs\//, '#/components/schemas/')
        : withReferences(inner),
    ]),
  );
}

/**
 * Builds the OpenAPI 3.1 document from the endpoints. Shapes come from the schemas that also check
 * requests, so the document matches the service.
 */
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
  worker: [],
  key: [{ apiKey: [] }],
  admin: [{ adminToken: [] }, { session: [] }],
  member: [{ adminToken: [] }, { session: [] }],
  'signed-in': [{ adminToken: [] }, { session: [] }],
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
      ...(body ? contentOf(registry.wire(body), { examples: requestExamples }) : {}),
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
      requestBody: { required: true, content: contentOf(schema, { examples }) },
      responses: {
        '2XX': { description: 'Received; the webhook is not retried.' },
        default: {
          description: 'Any other response, or none within 15 seconds: the webhook is retried.',
        },
      },
    },
  };
}
