/**
 * The GPU boxes that are connected to this process, and what the database knows of all. A box keeps
 * idle connections; each carries one HTTP request to its engine. A request is sent only when the
 * box has answered for this connection, so without an answer nothing was sent.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Duplex } from 'node:stream';
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { Database } from '../../database/database.ts';
import { FollowedRows } from '../../database/followed-rows.ts';
import { monotonicMs, sleep, startDeadline, startInterval } from '../../process/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { openHopServer, openThrough } from './hop.ts';
import {
  type Box,
  type BoxReport,
  findBoxByToken,
  listBoxes,
  recordConnected,
  recordDisconnected,
  recordSeen,
  workersChannel,
} from './store.ts';
import { WebSocketStream } from './web-socket.ts';

/** Idle ones and those in use, of one name at this process. */
export const connectionsPerBoxMax = 64;
const pingMs = 15_000;
const seenMs = 10_000;
/** Below the time that the server waits for its connections. */
const drainMs = 15_000;
/** How long a request waits for a box whose connections are all in use. */
const idleWaitMs = 5_000;
/** The box has to connect to its engine in this time. */
const readyMs = 5_000;
/** The byte that asks whether the engine can take a request, and the answer that it can. */
const readyByte = 1;

type FleetOptions = {
  readonly db: Database;
  readonly log: Log;
  /** 256 bits of the installation, for digests of tokens. */
  readonly key: Buffer;
  /** Where the process listens for the others. */
  readonly host: string;
};

type Connected = {
  readonly name: string;
  readonly report: BoxReport;
  readonly streams: Set<WebSocketStream>;
  readonly idle: Set<WebSocketStream>;
  /** Emits `change` to requests that wait for an idle connection. */
  readonly events: EventEmitter;
};

export class Fleet {
  readonly #options: FleetOptions;
  readonly #rows = new FollowedRows(() => this.#read());
  readonly #connected = new Map<string, Connected>();
  /** Listens once there is a box. */
  #hop: ReturnType<typeof openHopServer> | undefined;
  #boxes: readonly Box[] = [];
  #isClosing = false;
  #stop = async (): Promise<void> => {};

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** Follows what other processes know of the boxes, and reports its own. */
  async start(): Promise<void> {
    const onError = (error: Error) =>
      this.#options.log.warn({ error }, 'GPU boxes not read, retrying');
    const unfollow = await this.#rows.follow(this.#options.db, {
      channel: workersChannel,
      onError,
    });
    const timers = [
      startInterval(pingMs, () => this.#pingAll()),
      startInterval(seenMs, () => this.#reportSeen().catch(onError)),
    ];
    this.#stop = async () => {
      for (const timer of timers) timer.stop();
      await unfollow();
    };
  }

  /** Ends idle connections at once, and those in use when their request has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const held = [...this.#connected.values()];
    for (const { idle } of held) for (const stream of idle) stream.destroy();
    using deadline = startDeadline(drainMs);
    const isInUse = () => held.some(({ streams }) => streams.size > 0);
    while (isInUse() && !deadline.hasPassed) await sleep(50, deadline.signal);
    for (const { streams } of held) for (const stream of streams) stream.destroy();
    await this.#stop();
    if (!this.#hop) return;
    const { server, address } = await this.#hop;
    server.close();
    const left = held.map(({ name }) => recordDisconnected(this.#options.db, { name, address }));
    await Promise.allSettled(left);
  }

  async #address(): Promise<string> {
    this.#hop ??= openHopServer(this.#options, (box) => this.#openHere(box));
    return (await this.#hop).address;
  }

  /** Reads the database after this call. */
  refresh(): Promise<void> {
    return this.#rows.refresh();
  }

  /** All boxes that are not revoked, as of a moment ago. */
  list(): readonly Box[] {
    return this.#boxes;
  }

  /** Returns a token and its digest. The token is shown once and not stored. */
  createToken(): { readonly token: string; readonly tokenDigest: string } {
    const token = `vgbox_${randomBytes(32).toString('base64url')}`;
    return { token, tokenDigest: this.#digest(token) };
  }

  /** Returns null for a token that is unknown or revoked. */
  async findBox(token: string): Promise<Box | null> {
    const digest = this.#digest(token);
    const known = this.#boxes.find(({ tokenDigest }) => tokenDigest === digest);
    return known ?? (await findBoxByToken(this.#options.db, digest));
  }

  #digest(token: string): string {
    return createHmac('sha256', this.#options.key).update(token).digest('hex');
  }

  /** Returns why the box may not have another connection, or null. */
  async admit(name: string, report: BoxReport): Promise<'in-use' | 'full' | null> {
    const held = this.#connected.get(name);
    if (held && isSame(held.report, report)) {
      return held.streams.size < connectionsPerBoxMax ? null : 'full';
    }
    const place = { name, address: await this.#address() };
    return (await recordConnected(this.#options.db, place, report)) ? null : 'in-use';
  }

  /** Takes a connection that was admitted. */
  add(name: string, report: BoxReport, socket: Duplex): void {
    const stream = new WebSocketStream(socket);
    // Every failure of a connection ends with `close`.
    stream.on('error', () => {});
    let held = this.#connected.get(name);
    if (!held || !isSame(held.report, report)) {
      const events = new EventEmitter().setMaxListeners(0);
      const fresh = { streams: new Set(), idle: new Set(), events };
      held = { ...(held ?? fresh), name, report } as Connected;
      this.#connected.set(name, held);
      this.#options.log.info({ box: name, ...report }, 'GPU box connected');
    }
    if (this.#isClosing || held.streams.size >= connectionsPerBoxMax) {
      return void stream.destroy();
    }
    held.streams.add(stream);
    held.idle.add(stream);
    const { streams, idle } = held;
    stream.once('close', () => {
      streams.delete(stream);
      idle.delete(stream);
      if (streams.size === 0) this.#forget(name);
    });
    held.events.emit('change');
  }

  #forget(name: string): void {
    const held = this.#connected.get(name);
    this.#connected.delete(name);
    if (!held) return;
    this.#options.log.info({ box: name }, 'GPU box disconnected');
    held.events.emit('change');
    this.#address()
      .then((address) => recordDisconnected(this.#options.db, { name, address }))
      .catch((error) => this.#options.log.warn({ error, box: name }, 'lost GPU box not recorded'));
  }

  /** Throws if the box is not connected, or cannot reach its engine: then nothing was sent. */
  async open(name: string): Promise<Duplex> {
    if (this.#connected.has(name)) return await this.#openHere(name);
    const { addresses = [] } = this.#boxes.find((box) => box.name === name) ?? {};
    const own = (await this.#hop)?.address;
    let last = new Error(`the GPU box ${name} is not connected`);
    for (const address of addresses.filter((one) => one !== own)) {
      try {
        return await openThrough(address, this.#options.key, name);
      } catch (error) {
        last = error as Error;
      }
    }
    throw last;
  }

  /** Of a box that is connected to this process. */
  async #openHere(name: string): Promise<Duplex> {
    const untilMs = monotonicMs() + idleWaitMs;
    for (;;) {
      const held = this.#connected.get(name);
      if (!held) throw new Error(`the GPU box ${name} is not connected`);
      const [stream] = held.idle;
      if (stream) {
        held.idle.delete(stream);
        const state = await ask(stream);
        if (state === 'ready') return stream;
        stream.destroy();
        if (state === 'refused') throw new Error(`the engine of ${name} does not respond`);
        continue;
      }
      using deadline = startDeadline(Math.max(0, untilMs - monotonicMs()));
      await once(held.events, 'change', deadline).catch(() => {
        throw new Error(`all connections of the GPU box ${name} are in use`);
      });
    }
  }

  /** Revoked boxes are cut off. */
  async #read(): Promise<void> {
    this.#boxes = await listBoxes(this.#options.db);
    const names = new Set(this.#boxes.map(({ name }) => name));
    for (const { name, streams } of this.#connected.values()) {
      if (!names.has(name)) for (const stream of streams) stream.destroy();
    }
  }

  #pingAll(): void {
    for (const { streams } of this.#connected.values()) {
      for (const stream of streams) stream.ping();
    }
  }

  async #reportSeen(): Promise<void> {
    const names = [...this.#connected.keys()];
    if (names.length > 0)
      await recordSeen(this.#options.db, { names, address: await this.#address() });
  }
}

const isSame = (one: BoxReport, other: BoxReport): boolean =>
  one.instance === other.instance && one.slots === other.slots;

/** One byte there, and one back: a box that has died is found before the request is sent. */
async function ask(stream: WebSocketStream): Promise<'ready' | 'refused' | 'dead'> {
  // An idle connection that has sent something is not our program's.
  if (stream.readableLength > 0) return 'dead';
  using deadline = startDeadline(readyMs);
  stream.write(Buffer.of(readyByte));
  const isReadable = await once(stream, 'readable', deadline).catch(() => false);
  const answer: Buffer | null = isReadable ? stream.read(1) : null;
  if (!answer) return 'dead';
  return answer[0] === readyByte ? 'ready' : 'refused';
}

/** Returns the box whose token a request has. Throws `invalid_api_key` if there is none. */
export async function requireBox(
  fleet: Pick<Fleet, 'findBox'>,
  authorization: string | string[] | undefined,
): Promise<Box> {
  const token = /^Bearer +(vgbox_[\w-]{43})$/i.exec(String(authorization).trim())?.[1];
  const box = token === undefined ? null : await fleet.findBox(token);
  if (box) return box;
  throw new ApiError(
    'invalid_api_key',
    'This token of a GPU box is unknown or revoked; create a box on the page GPU boxes.',
  );
}
