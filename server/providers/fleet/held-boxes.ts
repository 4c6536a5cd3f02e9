/**
 * The connections of GPU boxes to this process. A box keeps idle ones; each carries one HTTP
 * request to its engine. A request is sent only when the box has answered for this connection, so
 * without an answer nothing was sent.
 */
import { EventEmitter, once } from 'node:events';
import type { Duplex } from 'node:stream';
import { monotonicMs, sleep, startDeadline, startTimer } from '../../process/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type { BoxReport } from './store.ts';
import { WebSocketStream } from './web-socket.ts';

/** Idle ones and those in use, of one name at this process. */
export const connectionsPerBoxMax = 64;
/** Below the time that the server waits for its connections. */
const drainMs = 15_000;
/** How long a request waits for a box whose connections are all in use. */
const idleWaitMs = 5_000;
/** A box may have no connection for so long: the last one was used, the next is being dialed. */
const gapMs = 1_000;
/** The box has to connect to its engine in this time. */
const readyMs = 5_000;
/** The byte that asks whether the engine can take a request, and the answer that it can. */
const readyByte = 1;

type HeldBox = {
  readonly report: BoxReport;
  readonly streams: Set<WebSocketStream>;
  readonly idle: Set<WebSocketStream>;
  /** Emits `change` to requests that wait for an idle connection. */
  readonly events: EventEmitter;
};

type HeldBoxesOptions = {
  readonly log: Log;
  /** Called when a box has had no connection for a while. */
  readonly onLeft: (name: string) => void;
};

export class HeldBoxes {
  readonly #options: HeldBoxesOptions;
  /** With those that were admitted and are about to connect. */
  readonly #boxes = new Map<string, HeldBox>();
  /** By name, of boxes without a connection. */
  readonly #gaps = new Map<string, ReturnType<typeof startTimer>>();
  #isClosing = false;

  constructor(options: HeldBoxesOptions) {
    this.#options = options;
  }

  names(): readonly string[] {
    return [...this.#boxes.keys()];
  }

  find(name: string): HeldBox | undefined {
    return this.#boxes.get(name);
  }

  /** From now on, requests wait for a connection of the box. */
  hold(name: string, report: BoxReport): void {
    const known = this.#boxes.get(name);
    if (known && isSame(known.report, report)) return;
    const events = new EventEmitter().setMaxListeners(0);
    const { streams, idle } = known ?? { streams: new Set(), idle: new Set() };
    const held: HeldBox = { report, streams, idle, events: known?.events ?? events };
    this.#boxes.set(name, held);
    if (streams.size === 0) this.#startGap(name);
    this.#options.log.info({ box: name, ...report }, 'GPU box connected');
  }

  /** Takes a connection that was admitted, unless another start of the program was since then. */
  add(name: string, report: BoxReport, socket: Duplex): void {
    const stream = new WebSocketStream(socket);
    // Every failure of a connection ends with `close`.
    stream.on('error', () => {});
    const held = this.#boxes.get(name);
    if (!held || !isSame(held.report, report) || this.#isClosing) return void stream.destroy();
    const { streams, idle, events } = held;
    if (streams.size >= connectionsPerBoxMax) return void stream.destroy();
    this.#gaps.get(name)?.stop();
    streams.add(stream);
    idle.add(stream);
    stream.once('close', () => {
      streams.delete(stream);
      idle.delete(stream);
      if (this.#boxes.get(name)?.streams.size === 0) this.#startGap(name);
    });
    events.emit('change');
  }

  #startGap(name: string): void {
    this.#gaps.get(name)?.stop();
    const gap = startTimer(this.#isClosing ? 0 : gapMs, () => this.drop(name));
    this.#gaps.set(name, gap);
  }

  /** Cuts the box off. */
  drop(name: string): void {
    this.#gaps.get(name)?.stop();
    this.#gaps.delete(name);
    const held = this.#boxes.get(name);
    if (!held) return;
    this.#boxes.delete(name);
    for (const stream of held.streams) stream.destroy();
    this.#options.log.info({ box: name }, 'GPU box disconnected');
    held.events.emit('change');
    this.#options.onLeft(name);
  }

  async open(name: string): Promise<Duplex> {
    const untilMs = monotonicMs() + idleWaitMs;
    for (;;) {
      const held = this.#boxes.get(name);
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

  pingAll(): void {
    for (const { streams } of this.#boxes.values()) {
      for (const stream of streams) stream.ping();
    }
  }

  /** Ends idle connections at once, and those in use when their request has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { idle } of this.#boxes.values()) for (const stream of idle) stream.destroy();
    using deadline = startDeadline(drainMs);
    const isInUse = () => [...this.#boxes.values()].some(({ streams }) => streams.size > 0);
    while (isInUse() && !deadline.hasPassed) await sleep(50, deadline.signal);
    for (const name of this.names()) this.drop(name);
  }
}

export const isSame = (one: BoxReport, other: BoxReport): boolean =>
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
