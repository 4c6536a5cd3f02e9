/**
 * A socket whose request is already sent, for `node:http` to read the response from: begins with
 * bytes that were read before, and discards what is written.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

export class RespondingSocket extends Duplex {
  readonly #socket: Socket;
  readonly #onData = (bytes: Buffer) => {
    if (!this.push(bytes)) this.#socket.pause();
  };
  readonly #onEnd = () => void this.push(null);
  /** After an end, bytes may still be unread. */
  readonly #onClose = () => {
    if (this.#socket.errored || !this.#socket.readableEnded) {
      this.destroy(this.#socket.errored ?? undefined);
    }
  };

  constructor(socket: Socket, bytes: Buffer) {
    super();
    this.#socket = socket;
    this.push(bytes);
    socket.on('data', this.#onData).once('end', this.#onEnd).once('close', this.#onClose);
  }

  get bytesRead(): number {
    return this.#socket.bytesRead;
  }

  /** Leaves the socket open for its next request. */
  release(): void {
    this.#socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    this.#socket.resume();
  }

  /** Called by `node:http` after a response that ends its connection. */
  destroySoon(): void {
    this.destroy();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(_bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy(error ?? undefined);
    done(error);
  }
}
