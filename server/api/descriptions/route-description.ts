/**
 * What a route promises, beside the code that keeps it: enough to check a request, to list the
 * route in the OpenAPI document, and to let a reader judge it without reading its handler.
 */
import type { Permission } from '@vidgen/contract/models.ts';
import type { AccountRole } from '@vidgen/contract/people.ts';
import type { z } from 'zod';

export type Example = { readonly summary: string; readonly value: unknown };
export type Examples = Readonly<Record<string, Example>>;

/**
 * Who may ask. `key`: an API key, never a cookie. `admin`: the operator's token, or the session of
 * an administrator. `member`: these, and the session of a person who has `role` in the account of
 * `subject`. `person`: any session. `none`: anyone.
 */
export type Auth = 'key' | 'admin' | 'member' | 'person' | 'none';
/** What `:id` of the path names; the account it belongs to decides who may ask. */
export type ResourceKind = 'account' | 'task' | 'delivery' | 'key';

export type RequestHeader = 'Idempotency-Key';
/**
 * Those that only some answers carry; `x-request-id` and the rate's are added where they belong.
 */
export type ResponseHeader = 'Retry-After' | 'Set-Cookie' | 'vidgen-confirm' | 'vidgen-ignored';

export type ResponseDescription = {
  readonly description: string;
  /** Absent where there is no body. */
  readonly schema?: z.ZodType;
  /** `application/json` unless told otherwise. */
  readonly contentType?: string;
  /** Where the request can ask for it instead. */
  readonly alsoJson?: z.ZodType;
  readonly examples?: Examples;
  readonly headers?: readonly ResponseHeader[];
};

export type RouteDescription = {
  /** Stable: client generators name their functions by it. */
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As the router takes it: `/v1/tasks/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  readonly auth: Auth;
  /** With `member`: the least that does. */
  readonly role?: AccountRole;
  /** With `member`: what `:id` is. */
  readonly resource?: ResourceKind;
  /** Keys and money: a session must have given its password in the last ten minutes. */
  readonly requiresConfirmation?: true;
  readonly permission?: Permission;
  /** Ours, not the contract's; marked as such for the reader. */
  readonly extension?: true;
  /** Nothing that a client would call by itself: not in the document. */
  readonly hidden?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Instead of JSON: the type of the bytes it takes. */
  readonly bodyType?: string;
  /** A body may be left out altogether. */
  readonly bodyIsOptional?: true;
  readonly requestHeaders?: readonly RequestHeader[];
  readonly requestExamples?: Examples;
  /** By status, errors too. */
  readonly responses: Readonly<Record<number, ResponseDescription>>;
};

/** In the order of the document. */
export const tags = {
  Videos: 'Create video generation tasks, and ask what one would cost.',
  Tasks: 'Follow tasks until they have completed or failed.',
  Account: 'What can be asked for, and what it can be paid with.',
  Admin: 'For the operator of this installation: accounts, credits, keys, refunds, deliveries.',
  People: 'For the people of the dashboard: signing in, sessions, links, members and their roles.',
  Service: 'Whether it is up, and its own description.',
} as const;
export type Tag = keyof typeof tags;
