/** What the endpoints work with, and how a request and its answer look to them. */
import type { Readable } from 'node:stream';
import type { AccountRole } from '@vidgen/contract/people.ts';
import type { KeyIdentity } from '../../accounts/api-key.ts';
import type { KeyCache } from '../../accounts/key-cache.ts';
import type { PersonIdentity } from '../../accounts/person.ts';
import type { Session } from '../../accounts/session.ts';
import type { AcceptTask } from '../../lifecycle/accept.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import type { MaterialSizeLimits } from '../../materials/material.ts';
import type { Materials } from '../../materials/materials.ts';
import type { CreateLimiter } from '../../rate-limits/create-limiter.ts';
import type { StatusLimiter } from '../../rate-limits/status-window.ts';
import type { Uploads } from '../../storage/uploads.ts';
import type { StripeClient } from '../../top-ups/stripe.ts';
import type { ProcessInfo } from '../admin/process-info.ts';
import type { TaskReader } from './task-reader.ts';

export type ApiServices = {
  readonly lifecycle: LifecycleContext;
  readonly accept: AcceptTask;
  readonly materials: Materials;
  readonly uploads: Uploads;
  readonly materialBytesMax: MaterialSizeLimits;
  readonly tasks: TaskReader;
  readonly keys: KeyCache;
  readonly createLimiter: CreateLimiter;
  readonly statusLimiter: StatusLimiter;
  /** Root of the digests of keys. */
  readonly secret: string;
  /** What addresses of results are signed with. */
  readonly urlSigningSecret: string;
  readonly adminToken: string;
  readonly publicUrl: () => string;
  /** Null where nothing is for sale. */
  readonly stripe: StripeClient | null;
  readonly processInfo: ProcessInfo;
};

/** Who asks, as the steps before the endpoint found out. */
export type Caller = {
  /** On endpoints that need a key. */
  readonly identity: KeyIdentity | undefined;
  /** Whom the audit log names: `admin token`, or a person's e-mail address. */
  readonly actor: string;
  /** Whose session it is; undefined for keys, the admin token and strangers. */
  readonly person: PersonIdentity | undefined;
  readonly session: Session | undefined;
  /** The admin token, or an administrator of the installation: sees and may do everything. */
  readonly isAdmin: boolean;
  /** In the account that the path names; `owner` for operators. Undefined where none is named. */
  readonly role: AccountRole | undefined;
};

/** A request that has passed the steps before its endpoint: key, permission, rate, JSON. */
export type ApiRequest = Caller & {
  /** On the answer as `x-request-id`. */
  readonly requestId: string;
  readonly method: string;
  /** By the names in the route's path; each is there. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed JSON, or bytes or a stream of them where the route takes those; or undefined. */
  readonly body: unknown;
  /** Puts headers on the answer, also on that of a refusal. */
  readonly setHeaders: (headers: Readonly<Record<string, string>>) => void;
  /** From where: the socket's other end, or whom a trusted proxy there was asked by. */
  readonly remoteAddress: string | undefined;
  /** For who waits: fires when the client has gone away or the service is stopping. */
  readonly abortSignal: () => AbortSignal;
};

export type ApiResponse = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. Otherwise there is text or a stream, with its content type, or nothing. */
  readonly body?: unknown;
  readonly text?: string;
  readonly stream?: Readable;
};

export type Handler = (services: ApiServices, request: ApiRequest) => Promise<ApiResponse>;
