/**
 * A TCP connection to a server that can be disturbed: it falls silent, as behind a firewall that
 * drops everything, is cut, or leads to another server from now on. Whoever uses it notices nothing
 * of it otherwise.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type Link = {
  readonly near: Socket;
  readonly far: Socket;
  /** Whether it was made to hear notifications. */
  listens: boolean;
};

const listenWords = Buffer.from('listen "');

/** A held resource: a port of its own, and every connection that was made through it. */
export class Wire {
  readonly port: number;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #to: number;
  #isSilent = false;
  #isDeaf = false;
  #bytesSent = 0;

  private constructor(server: Server, to: number) {
    this.#server = server;
    this.#to = to;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (near: Socket) => this.#link(near));
  }

  static async open({ to }: { to: number }): Promise<Wire> {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Wire(server, to);
  }

  /** From whoever connected to it, since it was opened. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  /** The same address, by way of this wire. */
  through(url: string): string {
    const other = new URL(url);
    other.port = String(this.port);
    return other.href;
  }

  /** Nothing arrives any more on either side, not even the end of a connection. */
  silence(): void {
    this.#isSilent = true;
    for (const { near, far } of this.#links) {
      near.pause();
      far.pause();
    }
  }

  /** Nothing arrives any more at connections that listen for notifications; all others go on. */
  deafen(): void {
    this.#isDeaf = true;
    for (const { far, listens } of this.#links) if (listens) far.pause();
  }

  /** What was under way arrives now, late. */
  heal(): void {
    this.#isSilent = false;
    this.#isDeaf = false;
    for (const { near, far } of this.#links) {
      near.resume();
      far.resume();
    }
  }

  /** Ends every connection; new ones can be made. */
  cut(): void {
    for (const { near, far } of this.#links) {
      near.destroy();
      far.destroy();
    }
  }

  /** New connections lead there; the old ones are cut, as an address that moves does it. */
  leadTo(port: number): void {
    this.#to = port;
    this.cut();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #link(near: Socket): void {
    const far = connect(this.#to, '127.0.0.1');
    const link: Link = { near, far, listens: false };
    this.#links.add(link);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      // Before there is a listener: a socket that nobody paused would begin to read with it.
      from.pause();
      from.on('data', (bytes) => {
        if (from === near) this.#note(link, bytes);
        to.write(bytes);
      });
      from.on('error', () => {});
      from.on('close', () => {
        this.#links.delete(link);
        // What came before the end arrives before it.
        to.destroySoon();
      });
      if (!this.#isSilent) from.resume();
    }
  }

  #note(link: Link, bytes: Buffer): void {
    this.#bytesSent += bytes.length;
    link.listens ||= bytes.includes(listenWords);
    if (link.listens && this.#isDeaf) link.far.pause();
  }
}
