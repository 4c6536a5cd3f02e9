/**
 * The type of an endpoint: who may call it, what it accepts and returns, and the handler that runs
 * it. The server routes and authorizes by it, and the OpenAPI document is built from it.
 */
import type { ErrorCode } from '@vidgen/contract/error-response.ts';
import type { Permission } from '@vidgen/contract/models.ts';
import type { AccountRole } from '@vidgen/contract/people.ts';
import type { z } from 'zod';
import type { ApiRequest, ApiResponse, ApiServices, FormatError, Handler } from './handler.ts';

/** By name. Tests check each value against its schema. */
export type Examples = Readonly<Record<string, readonly [summary: string, value: unknown]>>;

/**
 * Who may call. `key`: an API key, never a cookie. `admin`: the admin token, or the session of an
 * administrator. `member`: these, and the session of a person who has at least `role` in the
 * account that owns the resource in the path. `person`: any session. `worker`: the token of a GPU
 * box. `none`: everyone.
 */
export type Auth = 'key' | 'admin' | 'member' | 'signed-in' | 'person' | 'worker' | 'none';
/** What `:id` names on endpoints with `member`. Its account decides who may call. */
export type ResourceKind = 'account' | 'task' | 'delivery' | 'key';

export type RequestHeader = 'Idempotency-Key';
/** Headers of single responses; `x-request-id` and the rate limit headers are added to all. */
export type ResponseHeader =
  | 'Retry-After'
  | 'Set-Cookie'
  | 'Sunset'
  | 'openai-poll-after-ms'
  | 'vidgen-adopted'
  | 'vidgen-confirm'
  | 'vidgen-ignored'
  | 'vidgen-progress';

export type ResponseDescription = {
  readonly description: string;
  /** Absent for responses without a body. */
  readonly schema?: z.ZodType;
  /** `application/json` by default. */
  readonly contentType?: string;
  /** Whether the request can ask for CSV instead. */
  readonly alsoCsv?: true;
  readonly examples?: Examples;
  readonly headers?: readonly ResponseHeader[];
};

type Description = {
  /** Stable: client generators name their functions by it. */
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** In the router's syntax: `/v1/tasks/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: Auth;
  /** With `member`: the lowest role that may call. */
  readonly role?: AccountRole;
  /**
   * For secrets, people and credits that leave: the session must have been confirmed in the last
   * ten minutes.
   */
  readonly requiresConfirmation?: true;
  /** With `member` and an account in the path: rejected while the account is suspended. */
  readonly requiresActiveAccount?: true;
  readonly permission?: Permission;
  /**
   * docs/spec.md 8: creates have their own rate limit. All other requests with a key share
   * `status`.
   */
  readonly rateLimit?: 'create' | 'status';
  /**
   * Clients of this status endpoint start a new task when a request fails. Its authorization waits
   * for the database, and its handler reads the task with `readKnownTask`, which waits for the rate
   * limit, too.
   */
  readonly clientsRetryByCreating?: true;
  /**
   * With `member` and `admin`: how many requests per minute a signed-in person may send, over all
   * endpoints with the same purpose. For requests that are expensive for us or for others.
   */
  readonly sessionLimit?: { readonly purpose: string; readonly perMinute: number };
  /** The handler authorizes the request, for example callers on this machine. */
  readonly authorizesItself?: true;
  /** With `none`: reads the session if there is one, and rejects cross-origin requests. */
  readonly optionalSession?: true;
  /** Not part of the contract, and marked as such in the document. */
  readonly extension?: true;
  /** Left out of the document: clients never call it themselves. */
  readonly hidden?: true;
  /** Follow from the path by default, see `pathResources`. */
  readonly params?: z.ZodObject;
  readonly bodyType?: string;
  /** The fields of a `multipart/form-data` body that is taken as well; `body` by default. */
  readonly form?: z.ZodObject;
  readonly bodyIsOptional?: true;
  /** Passes the body to the handler as bytes of any type: signatures are over bytes. */
  readonly rawBody?: true;
  /**
   * The body may contain files, see `files/material-body.ts`: `json` accepts base64 data URIs,
   * `form` also `multipart/form-data`. With `key`, or with `member` and an account in the path.
   */
  readonly materialBody?: 'json' | 'form';
  /** Passes the body as a stream of any length, for at most ten minutes; the handler limits it. */
  readonly streamBody?: true;
  /**
   * The time until the response begins, 60 by default; the time in which a file arrives is added.
   * Then the response is an error, and `request.abortSignal()` tells the handler to stop.
   */
  readonly secondsMax?: number;
  readonly allowsHead?: true;
  readonly requestHeaders?: readonly RequestHeader[];
  readonly requestExamples?: Examples;
  /** By status. Error responses follow from the rest of the definition and `errors`. */
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** Further error codes, and example messages: `true` stands for the general examples. */
  readonly errors?: Readonly<Partial<Record<ErrorCode, string | true>>>;
  /** The shape of errors that clients of another API expect; the contract's by default. */
  readonly formatError?: FormatError;
  readonly errorSchema?: z.ZodType;
};

type Schema = z.ZodObject | undefined;
type Parsed<T extends Schema, Otherwise> = T extends z.ZodObject ? z.infer<T> : Otherwise;

/** The handler gets the body and the query as their schemas parse them. */
export type ParsedDefinition<Body extends Schema, Query extends Schema> = Description & {
  readonly body?: Body;
  readonly query?: Query;
  readonly parsesItself?: never;
  readonly handler: (
    services: ApiServices,
    request: ApiRequest<Parsed<Body, unknown>, Parsed<Query, Readonly<Record<string, unknown>>>>,
  ) => Promise<ApiResponse>;
};

export type EndpointDefinition = Description & {
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The handler parses the body and the query. The schemas are for the document. */
  readonly parsesItself?: true;
  readonly handler: Handler;
};

export type Endpoint = EndpointDefinition & {
  readonly tag: Tag;
  readonly resource?: ResourceKind;
};

export const tags = {
  Videos: 'Create video tasks, and estimate what they cost.',
  Tasks: 'Follow tasks until they have completed or failed; list, cancel and delete them.',
  Webhooks: 'Sent to your `callback_url` when a task has completed or failed.',
  Files: 'Upload files to use as materials, and download results.',
  Account: 'The models that a key can use with their prices, and its balance.',
  OpenAI: 'The same tasks in OpenAI’s format: for its clients, LiteLLM and n8n.',
  OpenRouter: 'The same tasks in OpenRouter’s format: for its clients, with the base `/api/v1`.',
  Replicate: 'The same tasks in Replicate’s format: for its clients, with the base `/v1`.',
  ModelArk: 'The same tasks in ModelArk’s format: for its clients, with the base `/api/v3`.',
  MCP: 'The same tasks as tools of a language model.',
  Accounts: 'Create, change, suspend and close the accounts of customers.',
  'API keys': 'Create and revoke the keys of an account, and cap what they spend.',
  Credits: 'Grants, credit history, usage, top-ups and redemption codes.',
  'All tasks': 'Find, cancel and delete tasks of any account, and resolve failed refunds.',
  Deliveries: 'Webhooks that were sent: their attempts, replays and tests.',
  Playground: 'What the playground of the dashboard calls to create videos.',
  Providers: 'Connect the providers that generate videos, test them and set routes.',
  Margin: 'What videos earned and cost, and vendors’ bills.',
  Installation: 'Figures, state and audit log of the installation.',
  People: 'People of the dashboard: members, roles and invitations.',
  'Sign-in': 'Sessions, passwords, two-factor authentication and one-time links.',
  Notices: 'What needs attention, in the dashboard and by webhook or email.',
  Service: 'Health, metrics and documentation.',
} as const;
export type Tag = keyof typeof tags;

export const tagGroups: readonly { readonly name: string; readonly tags: readonly Tag[] }[] = [
  { name: 'Video API', tags: ['Videos', 'Tasks', 'Webhooks', 'Files', 'Account'] },
  { name: 'Compatible APIs', tags: ['OpenAI', 'OpenRouter', 'Replicate', 'ModelArk', 'MCP'] },
  { name: 'Customers', tags: ['Accounts', 'API keys', 'Credits', 'All tasks', 'Deliveries'] },
  { name: 'Operations', tags: ['Playground', 'Providers', 'Margin', 'Installation', 'Service'] },
  { name: 'Dashboard', tags: ['People', 'Sign-in', 'Notices'] },
];
