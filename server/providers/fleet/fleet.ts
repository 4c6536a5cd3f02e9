/**
 * The GPU boxes of the installation: those that are connected to this process, and what the
 * database knows of those that are connected to others.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { Database } from '../../database/database.ts';
import { FollowedRows } from '../../database/followed-rows.ts';
import { startInterval } from '../../process/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { connectionsPerBoxMax, HeldBoxes, isSame } from './held-boxes.ts';
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

const pingMs = 15_000;
const seenMs = 10_000;

type FleetOptions = {
  readonly db: Database;
  readonly log: Log;
  /** 256 bits of the installation, for digests of tokens. */
  readonly key: Buffer;
  /** Where the process listens for the others. */
  readonly host: string;
};

export class Fleet {
  readonly #options: FleetOptions;
  readonly #rows = new FollowedRows(() => this.#read());
  readonly #held: HeldBoxes;
  /** Until boxes that have left are recorded: one that returns is recorded after that. */
  #leaving: Promise<void> = Promise.resolve();
  /** Listens once there is a box. */
  #hop: ReturnType<typeof openHopServer> | undefined;
  #boxes: readonly Box[] = [];
  #stop = async (): Promise<void> => {};

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#held = new HeldBoxes({ log: options.log, onLeft: (name) => this.#recordLeft(name) });
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
      startInterval(pingMs, () => this.#held.pingAll()),
      startInterval(seenMs, () => this.#reportSeen().catch(onError)),
    ];
    this.#stop = async () => {
      for (const timer of timers) timer.stop();
      await unfollow();
    };
  }

  /** Ends idle connections at once, and those in use when their request has ended. */
  async close(): Promise<void> {
    await this.#held.close();
    await this.#stop();
    await this.#leaving;
    (await this.#hop)?.server.close();
  }

  async #address(): Promise<string> {
    this.#hop ??= openHopServer(this.#options, (box) => this.#held.open(box));
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
    const held = this.#held.find(name);
    if (held && isSame(held.report, report)) {
      return held.streams.size < connectionsPerBoxMax ? null : 'full';
    }
    if (held?.streams.size === 0) this.#held.drop(name);
    await this.#leaving;
    const place = { name, address: await this.#address() };
    if (!(await recordConnected(this.#options.db, place, report))) return 'in-use';
    this.#held.hold(name, report);
    return null;
  }

  /** Takes a connection that was admitted. */
  add(name: string, report: BoxReport, socket: Duplex): void {
    this.#held.add(name, report, socket);
  }

  #recordLeft(name: string): void {
    this.#leaving = this.#leaving
      .then(() => this.#address())
      .then((address) => recordDisconnected(this.#options.db, { name, address }))
      .catch((error) => this.#options.log.warn({ error, box: name }, 'lost GPU box not recorded'));
  }

  /** Throws if the box is not connected, or cannot reach its engine: then nothing was sent. */
  async open(name: string): Promise<Duplex> {
    let last = new Error(`the GPU box ${name} is not connected`);
    if (this.#held.find(name)) {
      try {
        return await this.#held.open(name);
      } catch (error) {
        // Its next connections may be at another process.
        last = error as Error;
      }
    }
    const { addresses = [] } = this.#boxes.find((box) => box.name === name) ?? {};
    const own = (await this.#hop)?.address;
    for (const address of addresses.filter((one) => one !== own)) {
      try {
        return await openThrough(address, this.#options.key, name);
      } catch (error) {
        last = error as Error;
      }
    }
    throw last;
  }

  /** Revoked boxes are cut off. */
  async #read(): Promise<void> {
    this.#boxes = await listBoxes(this.#options.db);
    const names = new Set(this.#boxes.map(({ name }) => name));
    for (const name of this.#held.names()) if (!names.has(name)) this.#held.drop(name);
  }

  async #reportSeen(): Promise<void> {
    const names = this.#held.names();
    if (names.length > 0)
      await recordSeen(this.#options.db, { names, address: await this.#address() });
  }
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
