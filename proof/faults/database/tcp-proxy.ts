/**
 * A TCP connection to a server that can be disturbed: it falls silent, as behind a firewall that
 * drops everything, is cut, or leads to another server from now on. Whoever uses it notices nothing
 * of it otherwise.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type ProxiedConnection = {
  readonly client: Socket;
  readonly upstream: Socket;
  /** Whether it was made to hear notifications. */
  listensForNotifications: boolean;
};

const listenStatement = Buffer.from('listen "');

/** A held resource: a port of its own, and every connection that was made through it. */
export class TcpProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #connections = new Set<ProxiedConnection>();
  #to: number;
  #isStalled = false;
  #dropsNotifications = false;
  #bytesSent = 0;

  private constructor(server: Server, to: number) {
    this.#server = server;
    this.#to = to;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (client: Socket) => this.#connect(client));
  }

  static async open({ to }: { to: number }): Promise<TcpProxy> {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, to);
  }

  /** From whoever connected to it, since it was opened. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  /** The same address, by way of this wire. */
  proxyUrl(url: string): string {
    const other = new URL(url);
    other.port = String(this.port);
    return other.href;
  }

  /** Nothing arrives any more on either side, not even the end of a connection. */
  stall(): void {
    this.#isStalled = true;
    for (const { client, upstream } of this.#connections) {
      client.pause();
      upstream.pause();
    }
  }

  /** Nothing arrives any more at connections that listen for notifications; all others go on. */
  dropNotifications(): void {
    this.#dropsNotifications = true;
    for (const { upstream, listensForNotifications } of this.#connections)
      if (listensForNotifications) upstream.pause();
  }

  /** What was under way arrives now, late. */
  restore(): void {
    this.#isStalled = false;
    this.#dropsNotifications = false;
    for (const { client, upstream } of this.#connections) {
      client.resume();
      upstream.resume();
    }
  }

  /** Ends every connection; new ones can be made. */
  cut(): void {
    for (const { client, upstream } of this.#connections) {
      client.destroy();
      upstream.destroy();
    }
  }

  /** New connections lead there; the old ones are cut, as an address that moves does it. */
  retarget(port: number): void {
    this.#to = port;
    this.cut();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #connect(client: Socket): void {
    const upstream = connect(this.#to, '127.0.0.1');
    const connection: ProxiedConnection = { client, upstream, listensForNotifications: false };
    this.#connections.add(connection);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      // Before there is a listener: a socket that nobody paused would begin to read with it.
      from.pause();
      from.on('data', (bytes) => {
        if (from === client) this.#inspect(connection, bytes);
        to.write(bytes);
      });
      from.on('error', () => {});
      from.on('close', () => {
        this.#connections.delete(connection);
        // What came before the end arrives before it.
        to.destroySoon();
      });
      if (!this.#isStalled) from.resume();
    }
  }

  #inspect(connection: ProxiedConnection, bytes: Buffer): void {
    this.#bytesSent += bytes.length;
    connection.listensForNotifications ||= bytes.includes(listenStatement);
    if (connection.listensForNotifications && this.#dropsNotifications) connection.upstream.pause();
  }
}
