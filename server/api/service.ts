/** What the endpoints work with, and how a request and its answer look to them. */
import type { Readable } from 'node:stream';
import type { KeyIdentity } from '../accounts/api-key.ts';
import type { KeyCache } from '../accounts/key-cache.ts';
import type { Accept } from '../lifecycle/accept.ts';
import type { Lifecycle } from '../lifecycle/context.ts';
import type { Materials } from '../materials/materials.ts';
import type { CreateLimiter } from '../rate-limits/create-limiter.ts';
import type { StatusLimiter } from '../rate-limits/status-window.ts';
import type { TaskReader } from './task-reader.ts';

export type Service = {
  readonly lifecycle: Lifecycle;
  readonly accept: Accept;
  readonly materials: Materials;
  readonly tasks: TaskReader;
  readonly keys: KeyCache;
  readonly creates: CreateLimiter;
  readonly statusQueries: StatusLimiter;
  /** Root of the digests of keys. */
  readonly secret: string;
  /** What addresses of results are signed with. */
  readonly addressSecret: string;
  readonly adminToken: string;
  readonly publicUrl: () => string;
};

/** A request that has passed the steps before its endpoint: key, permission, rate, JSON. */
export type Asked = {
  readonly method: string;
  /** By the names in the route's path; each is there. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed JSON, or bytes where the route takes them; undefined when there was no body. */
  readonly body: unknown;
  /** Who asks, on endpoints that need a key. */
  readonly identity: KeyIdentity | undefined;
  /** From where, as the socket says. */
  readonly remoteAddress: string | undefined;
  /** For who waits: fires when the client has gone away or the service is stopping. */
  readonly gone: () => AbortSignal;
};

export type Answer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. Otherwise there is text or a stream, with its content type, or nothing. */
  readonly body?: unknown;
  readonly text?: string;
  readonly stream?: Readable;
};

export type Handle = (service: Service, asked: Asked) => Promise<Answer>;
