/** What a handler gets and returns: services, the request with its caller, and the response. */
import type { Duplex, Readable } from 'node:stream';
import type { Finding } from '@vidgen/contract/admin-system.ts';
import type { ApiError } from '@vidgen/contract/api-error.ts';
import type { AccountRole } from '@vidgen/contract/people.ts';
import type { KeyIdentity } from '../../accounts/keys/api-key.ts';
import type { KeyCache } from '../../accounts/keys/key-cache.ts';
import type { PersonIdentity } from '../../accounts/people/person.ts';
import type { Session } from '../../accounts/people/session.ts';
import type { StoredModels } from '../../catalog/stored-models.ts';
import type { SigningKeys } from '../../credentials/signing-keys.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import type { AcceptTask } from '../../lifecycle/accept.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import type { UndeliveredCreates } from '../../lifecycle/create/undelivered-creates.ts';
import type { MessageDeps } from '../../lifecycle/notices/send-messages.ts';
import type { MaterialSizeLimits } from '../../materials/material.ts';
import type { Materials } from '../../materials/materials.ts';
import type { OpenIdClient } from '../../openid/openid-client.ts';
import type { ProviderConnections } from '../../providers/connected/connections.ts';
import type { Fleet } from '../../providers/fleet/fleet.ts';
import type { ProviderSettings } from '../../providers/kinds.ts';
import type { CreateLimiter } from '../../rate-limits/create-limiter.ts';
import type { StatusLimiter } from '../../rate-limits/status-window.ts';
import type { OpenedStorage } from '../../storage/storage.ts';
import type { Uploads } from '../../storage/uploads.ts';
import type { StripeClient } from '../../top-ups/stripe.ts';
import type { ProcessInfo } from '../installation/process-info.ts';
import type { ProviderFigures } from '../providers/provider-figures.ts';
import type { TaskReader } from './task-reader.ts';

export type ApiServices = {
  readonly lifecycle: LifecycleContext;
  readonly connections: ProviderConnections;
  readonly fleet: Fleet;
  readonly storedModels: StoredModels;
  readonly fileProviders: Readonly<Record<string, ProviderSettings>>;
  readonly accept: AcceptTask;
  readonly undelivered: UndeliveredCreates;
  readonly materials: Materials;
  readonly uploads: Uploads;
  readonly materialBytesMax: MaterialSizeLimits;
  readonly tasks: TaskReader;
  readonly keys: KeyCache;
  readonly createLimiter: CreateLimiter;
  readonly statusLimiter: StatusLimiter;
  /** Verifications without a key, by network. */
  readonly verifyLimiter: StatusLimiter;
  readonly verifies: 'public' | 'key' | 'off';
  readonly signingKeys: SigningKeys;
  /** Over all keys of an account: requests per minute, and tasks in progress. 0 means no limit. */
  readonly accountLimits: Readonly<Record<'create' | 'status' | 'running', number>>;
  /** The root of key digests. */
  readonly secret: string;
  readonly urlSigningSecret: string;
  readonly adminToken: string;
  /** For `/metrics` alone. */
  readonly metricsToken: string | null;
  readonly publicUrl: () => string;
  /** Null if the installation takes no payments. */
  readonly stripe: StripeClient | null;
  /** Writes mail to the outbox; `mailer` is null without SMTP. */
  readonly messages: Pick<MessageDeps, 'mailer' | 'sealer' | 'publicUrl' | 'noticeWebhookUrl'>;
  /** Null if the installation has no sign-in by OpenID Connect. */
  readonly openid: OpenIdClient | null;
  readonly processInfo: ProcessInfo;
  readonly openedStorage: Pick<OpenedStorage, 'place' | 'freeBytes' | 'publicOrigin'>;
  /** Redirects clients to results at the store; null streams them through this service. */
  readonly presignResult: OpenedStorage['presign'];
  /** Stores that have been failing, and how; see `StoreWatch`. */
  readonly storeProblems: () => Readonly<Record<string, string>>;
  /** Whether the process was told to stop, and only proxies still have to notice it. */
  readonly isStopping: () => boolean;
  /** Examines the installation; calls at the same time share one examination. */
  readonly findings: () => Promise<readonly Finding[]>;
  readonly providerFigures: () => Promise<ProviderFigures>;
  /** As it is announced to other processes. */
  readonly processId: string;
};

export type Caller = {
  /** Set on endpoints with `auth: 'key'`. */
  readonly identity: KeyIdentity | undefined;
  /** The name in the audit log: `admin token`, or the email address of a person. */
  readonly actor: string;
  /** The person of the session; undefined for keys, the admin token and anonymous callers. */
  readonly person: PersonIdentity | undefined;
  readonly session: Session | undefined;
  readonly token: string | undefined;
  /** Whether the caller is an administrator or sent the admin token. */
  readonly isAdmin: boolean;
  /** The role in the account of the path; `owner` for admins. Undefined on other endpoints. */
  readonly role: AccountRole | undefined;
  /** As `requiresConfirmation` of an endpoint, where only some of its requests need it. */
  readonly requireConfirmation: () => Promise<void>;
  /**
   * Judges the right to call the endpoint again, and throws like the authorization if it was lost
   * meanwhile. With `lock`, in a transaction, the right cannot be lost until the transaction ends.
   */
  readonly reauthorize: (db: Queryable, options: { readonly lock: boolean }) => Promise<void>;
};

/** A request that is authorized, within its rate limit, and has valid JSON. */
export type ApiRequest<Body = unknown, Query = Readonly<Record<string, unknown>>> = Caller & {
  /** Sent as `x-request-id`. */
  readonly requestId: string;
  readonly method: string;
  /** By the names in the path, all present. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Parsed by the schema of the endpoint. Without one: JSON, bytes (`rawBody`), a stream
   * (`streamBody`), or undefined. With `materialBody` an object of JSON or of the fields of a form,
   * in which URLs stand for the files.
   */
  readonly body: Body;
  readonly files: BodyFiles;
  /** Sets headers of the response, of error responses too. */
  readonly setHeaders: (headers: Readonly<Record<string, string>>) => void;
  readonly onCounted: (uncount: () => void | Promise<void>) => void;
  /** The client's IP address behind proxies; see `request-origin.ts`. */
  readonly remoteAddress: () => string | undefined;
  /** Aborted when the client disconnects, the time is up (`secondsMax`) or the service stops. */
  readonly abortSignal: () => AbortSignal;
  readonly isDisconnected: () => boolean;
  /** Calls back if the connection breaks before the response is completely written. */
  readonly onUndelivered: (callback: () => void) => void;
  /**
   * Runs `work` in a transaction that first judges and locks the caller's right. Repeated if it
   * deadlocks, so `work` must have no effect outside the database.
   */
  readonly transaction: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
};

/** The files of a body with `materialBody`; other bodies have none. */
export type BodyFiles = {
  /** Stores them under their URLs, before anything reads these. Does nothing the second time. */
  store(): Promise<void>;
  /**
   * Whether stored files outlive the request. They do not by default. Set it before a commit that
   * needs them: its outcome may be lost.
   */
  keep(isKept: boolean): void;
};

export type ApiResponse = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent as JSON. Otherwise `text` or `stream` with a content type, or no body. */
  readonly body?: unknown;
  readonly text?: string;
  readonly stream?: Readable;
  /** Takes the connection, and responds itself. Only for requests that Node upgrades. */
  readonly upgrade?: (socket: Duplex) => void;
};

export type Handler = (services: ApiServices, request: ApiRequest) => Promise<ApiResponse>;

export type FormatError = (error: ApiError) => ApiResponse;
