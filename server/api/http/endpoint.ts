/** Defines an endpoint, and completes the definition with what follows from its path and `auth`. */
import assert from 'node:assert/strict';
import { AccountParams, KeyParams } from '@vidgen/contract/admin-accounts.ts';
import { DeliveryParams } from '@vidgen/contract/admin-tasks.ts';
import { TaskParams } from '@vidgen/contract/list-tasks.ts';
import { NoticeParams } from '@vidgen/contract/notices.ts';
import { VideoParams } from '@vidgen/contract/openai-videos.ts';
import { PersonParams, SessionParams } from '@vidgen/contract/people.ts';
import { PredictionParams } from '@vidgen/contract/replicate-predictions.ts';
import { CodeParams } from '@vidgen/contract/top-ups.ts';
import type { z } from 'zod';
import type {
  Endpoint,
  EndpointDefinition,
  Examples,
  ParsedDefinition,
  ResourceKind,
  ResponseDescription,
  Tag,
} from './endpoint-definition.ts';
import type { Handler } from './handler.ts';
import { errorResponses } from './openapi-errors.ts';
import { parseBody, parseQuery } from './parse-request.ts';

/** By the start of the path, without `/admin/accounts/:id`; the others are `Service`. */
const tagsByPath: readonly (readonly [RegExp, Tag])[] = [
  [/^\/v1\/videos\/generations\b/, 'Videos'],
  [/^\/v1\/videos\b/, 'OpenAI'],
  [/^\/api\/v1\//, 'OpenRouter'],
  [/^\/v1\/(models\/:owner|predictions)\b/, 'Replicate'],
  [/^\/v1\/tasks\b/, 'Tasks'],
  [/^\/(v1\/files|results|uploads|verify)\b/, 'Files'],
  [/^\/v1\//, 'Account'],
  [/^\/api\/v3\//, 'ModelArk'],
  [/^\/mcp$/, 'MCP'],
  [/^\/(session|sessions|links|logins|account\/logins)\b/, 'Sign-in'],
  [/^\/(notices|admin\/notice-settings)\b/, 'Notices'],
  [/^\/admin\/(people|invitations)\b|^\/account\/(members|invitations)\b/, 'People'],
  [/^\/(account|admin)\/keys\b/, 'API keys'],
  [/^\/account\/(credits|ledger|usage|top-ups|redemptions|checkouts|balance-alert)\b/, 'Credits'],
  [/^\/admin\/redemption-codes\b/, 'Credits'],
  [/^\/(account|admin)\/tasks\b/, 'All tasks'],
  [/^\/((account|admin)\/deliveries|account\/webhook-)/, 'Deliveries'],
  [/^\/(account\/(generations|uploads|models)|admin\/models)\b/, 'Playground'],
  [/^\/admin\/(margin|vendor-bills)\b/, 'Margin'],
  [/^\/admin\/(providers|provider-tests|routes|workers)\b/, 'Providers'],
  [/^\/(account\b|admin\/accounts\b)/, 'Accounts'],
  [/^\/admin\//, 'Installation'],
];

function tagOf(path: string): Tag {
  const shortPath = path.replace(/^\/admin\/accounts\/:id\b/, '/account');
  return tagsByPath.find(([pattern]) => pattern.test(shortPath))?.[1] ?? 'Service';
}

/** What `:id` names, by the start of the path. */
const pathResources = {
  '/v1/tasks': { noun: 'task', params: TaskParams },
  '/v1/videos': { noun: 'video', params: VideoParams },
  '/v1/predictions': { noun: 'prediction', params: PredictionParams },
  '/api/v1/videos': { noun: 'video', params: VideoParams },
  '/admin/accounts': { noun: 'account', params: AccountParams },
  '/admin/tasks': { noun: 'task', params: TaskParams },
  '/admin/keys': { noun: 'key', params: KeyParams },
  '/admin/deliveries': { noun: 'delivery', params: DeliveryParams },
  '/admin/people': { noun: 'person', params: PersonParams },
  '/admin/redemption-codes': { noun: 'redemption code', params: CodeParams },
  '/notices': { noun: 'notice', params: NoticeParams },
  '/sessions': { noun: 'session', params: SessionParams },
} as const;

const memberResource = /^(account|task|delivery|key)$/;

export function endpoint(
  definition: EndpointDefinition & { readonly parsesItself: true },
): Endpoint;
export function endpoint<
  Body extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
>(definition: ParsedDefinition<Body, Query>): Endpoint;
export function endpoint(definition: EndpointDefinition): Endpoint {
  const { auth, path } = definition;
  const [start, ...rest] = path.split('/:id');
  const resource = rest.length > 0 ? pathResources[start as keyof typeof pathResources] : undefined;
  if (auth === 'member') assert(resource && memberResource.test(resource.noun), path);
  return {
    ...(auth === 'key' ? { rateLimit: 'status' } : {}),
    ...(resource ? { params: resource.params } : {}),
    ...definition,
    handler: definition.parsesItself ? definition.handler : parsingHandler(definition),
    tag: tagOf(path),
    ...(auth === 'member' ? { resource: resource?.noun as ResourceKind } : {}),
    responses: { ...definition.responses, ...errorResponses(definition, resource?.noun) },
  };
}

function parsingHandler({ body, query, bodyIsOptional, handler }: EndpointDefinition): Handler {
  if (!body && !query) return handler;
  return (services, request) => {
    const sent = bodyIsOptional && request.body === undefined ? {} : request.body;
    return handler(services, {
      ...request,
      ...(body && { body: parseBody(body, sent) }),
      ...(query && { query: parseQuery(query, request.query) }),
    });
  };
}

export const jsonResponse = (
  description: string,
  schema: z.ZodType,
  examples: Examples,
): ResponseDescription => ({ description, schema, examples });
