/**
 * A TCP proxy whose connections can be disturbed: they stall as behind a firewall that drops every
 * packet, are cut, or lead to another server from now on.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type ProxiedConnection = {
  readonly client: Socket;
  readonly upstream: Socket;
  listensForNotifications: boolean;
};

const listenStatement = Buffer.from('listen "');

/** A held resource: a port of its own, and every connection made through it. */
export class TcpProxy implements AsyncDisposable {
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

  /** The bytes that clients have sent since the proxy was opened. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  proxyUrl(url: string): string {
    const other = new URL(url);
    other.port = String(this.port);
    return other.href;
  }

  /** Stops delivering in both directions, even the end of a connection. */
  stall(): void {
    this.#isStalled = true;
    for (const { client, upstream } of this.#connections) {
      client.pause();
      upstream.pause();
    }
  }

  /** Stops delivering to connections that listen for notifications; all others continue. */
  dropNotifications(): void {
    this.#dropsNotifications = true;
    for (const { upstream, listensForNotifications } of this.#connections)
      if (listensForNotifications) upstream.pause();
  }

  restore(): void {
    this.#isStalled = false;
    this.#dropsNotifications = false;
    for (const { client, upstream } of this.#connections) {
      client.resume();
      upstream.resume();
    }
  }

  cut(): void {
    for (const { client, upstream } of this.#connections) {
      client.destroy();
      upstream.destroy();
    }
  }

  /** Sends new connections to another port and cuts the old ones, as a moved IP address does. */
  retarget(port: number): void {
    this.#to = port;
    this.cut();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #connect(client: Socket): void {
    const upstream = connect(this.#to, '127.0.0.1');
    const connection: ProxiedConnection = { client, upstream, listensForNotifications: false };
    this.#connections.add(connection);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      // Paused before there is a 'data' listener, which would start the stream.
      from.pause();
      from.on('data', (bytes) => {
        if (from === client) this.#inspect(connection, bytes);
        to.write(bytes);
      });
      from.on('error', () => {});
      from.on('close', () => {
        this.#connections.delete(connection);
        // Data that came before the end is delivered before it.
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
