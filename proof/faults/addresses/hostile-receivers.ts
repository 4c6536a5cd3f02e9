/**
 * Webhook receivers that are hostile or broken, and how a webhook to each must end: delivered at
 * the first attempt, or exhausted after six attempts that all failed in the same way.
 */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { FailureCode } from '../../../server/egress/failure.ts';
import { startInterval, startTimer } from '../../../server/process/clock.ts';

export type HostileReceiver = {
  readonly name: string;
  readonly receive: (socket: Socket) => void;
  /** The status of every attempt, or the failure codes it may have, depending on timing. */
  readonly ends: number | readonly FailureCode[];
  /** It acts as soon as it is connected, not when the whole request has arrived. */
  readonly from?: 'connection';
  /** Its URL is https. */
  readonly isSecure?: true;
  /** It holds the webhook until the deadline. */
  readonly isSlow?: true;
};

const dripMs = 300;
/**
 * Later than a webhook may take (docs/spec.md 6.1.2), before the connection would be closed
 * anyway.
 */
const tooLateMs = 16_000;
const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n';

const receiver = (
  name: string,
  receive: HostileReceiver['receive'],
  ends: HostileReceiver['ends'],
  rest: Pick<HostileReceiver, 'from' | 'isSecure' | 'isSlow'> = {},
): HostileReceiver => ({ name, receive, ends, ...rest });

const respondWith =
  (text: string | Uint8Array) =>
  (socket: Socket): void =>
    void socket.end(text);

/** Writes `first`, then `then` again and again until the client closes the connection. */
const drips =
  (first: string, then: string) =>
  (socket: Socket): void => {
    socket.write(first);
    const timer = startInterval(dripMs, () => void socket.write(then));
    socket.once('close', timer.stop);
  };

/** Writes `first`, then `then` without end, as fast as it is read. */
const floods = (first: string, then: string) => {
  const bytes = Buffer.from(then.repeat(Math.ceil(65_536 / then.length)));
  return (socket: Socket): void => {
    const write = () => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', write);
    socket.write(first);
    write();
  };
};

function bombs(socket: Socket): void {
  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
  socket.write(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
  socket.end(bomb);
}

function respondsTooLate(socket: Socket): void {
  const timer = startTimer(tooLateMs, () => socket.end(`${ok}\r\n`));
  socket.once('close', timer.stop);
}

/** Keeps the connection open although it should not, and resets it later. */
function resetsLate(socket: Socket): void {
  socket.write(`${ok}connection: keep-alive\r\ncontent-length: 2\r\n\r\nok`);
  const timer = startTimer(dripMs, () => socket.resetAndDestroy());
  socket.once('close', timer.stop);
}

const resets = (socket: Socket): void => void socket.resetAndDestroy();
const nothing = (): void => {};
const slow = { isSlow: true } as const;
const atOnce = { from: 'connection' } as const;

/** An HTTP/2 server starts with its settings. */
const http2Settings = Buffer.from(
  '0000120400000000000003000000640004000100000006000040000000',
  'hex',
);
const megabyteOfHeaders = `${ok}${`x-a: ${'a'.repeat(1000)}\r\n`.repeat(1000)}\r\n`;
const bothLengths = 'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n';
const lengthAndChunks = `${ok}${bothLengths}2\r\nok\r\n0\r\n\r\n`;
const switching = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
const invalidText = Buffer.from([...Buffer.from(`${ok}\r\n`), 0, 0xff, 0xed, 0xa0, 0x80]);

const silent: readonly HostileReceiver[] = [
  receiver('never responds', nothing, ['timeout'], slow),
  receiver('drips its header', drips(ok, 'x'), ['timeout'], slow),
  receiver('drips 103 without end', drips(hint, hint), ['timeout'], slow),
  receiver('responds too late', respondsTooLate, ['timeout'], slow),
  receiver('never starts TLS', nothing, ['timeout'], { isSecure: true, isSlow: true }),
  receiver('drips its body', drips(`${ok}\r\n`, 'x'), 200, slow),
  receiver('hangs in its body', (one) => void one.write(chunked), 200, slow),
];

const endless: readonly HostileReceiver[] = [
  receiver('floods with 103', floods('', hint), ['protocol']),
  receiver('floods with empty lines', floods('', '\r\n'), ['protocol']),
  receiver('has a header without end', floods(ok, 'x-a: b\r\n'), ['protocol']),
  receiver('has a reason without end', floods('HTTP/1.1 200 ', 'x'), ['protocol']),
  receiver('has a body without end', floods(`${ok}\r\n`, 'x'), 200),
  receiver('fails with a body without end', floods('HTTP/1.1 500 No\r\n\r\n', 'x'), 500),
  receiver('has a chunk size without end', floods(chunked, '0'), 200),
  receiver('has an extension without end', floods(`${chunked}1;`, 'x'), 200),
  receiver('has trailers without end', floods(`${chunked}0\r\n`, 'x-a: b\r\n'), 200),
  receiver('has a megabyte of headers', respondWith(megabyteOfHeaders), ['protocol', 'closed']),
  receiver('sends a gzip bomb', bombs, 200),
];

const broken: readonly HostileReceiver[] = [
  receiver('resets the connection', resets, ['closed']),
  receiver('closes the connection', (one) => void one.end(), ['closed']),
  receiver('resets at once', resets, ['closed', 'connect'], atOnce),
  receiver('breaks TLS', respondWith('no\r\n'), ['tls'], { isSecure: true, ...atOnce }),
  receiver('speaks garbage', respondWith(Buffer.alloc(999, 0xfe)), ['protocol']),
  receiver('speaks HTTP/2', respondWith(http2Settings), ['protocol'], atOnce),
  receiver('speaks SSH', respondWith('SSH-2.0-x\r\n'), ['protocol'], atOnce),
  receiver('has no number', respondWith('HTTP/1.1 abc\r\n\r\n'), ['protocol']),
  receiver('has four digits', respondWith('HTTP/1.1 2000 OK\r\n\r\n'), ['protocol']),
  receiver('has a field without colon', respondWith(`${ok}x\r\n\r\n`), ['protocol']),
  receiver('has a negative length', respondWith(`${ok}content-length: -1\r\n\r\n`), ['protocol']),
  receiver(
    'has two lengths',
    respondWith(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
    ['protocol'],
  ),
  receiver('has a length and chunks', respondWith(lengthAndChunks), ['protocol']),
  receiver('switches protocols', respondWith(switching), ['protocol', 'closed']),
];

const sly: readonly HostileReceiver[] = [
  receiver(
    'smuggles a failure behind its 200',
    respondWith(`${ok}content-length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n`),
    200,
  ),
  receiver(
    'smuggles a 200 behind its failure',
    respondWith(`HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno${ok}\r\n`),
    500,
  ),
  receiver('has a body with its 204', respondWith('HTTP/1.1 204 No\r\n\r\nbody'), 204),
  receiver(
    'sends 100 three times',
    respondWith(`${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)}${ok}\r\n`),
    200,
  ),
  receiver('sends 100 and no more', respondWith('HTTP/1.1 100 Continue\r\n\r\n'), ['closed']),
  receiver('resets after its response', resetsLate, 200),
  receiver('breaks off its body', respondWith(`${ok}content-length: 99\r\n\r\nx`), 200),
  receiver('has a body that is no text', respondWith(invalidText), 200),
];

export const receiverScripts = [...silent, ...endless, ...broken, ...sly];

/** Redirects to a URL that must never be requested. */
export const redirectingReceiver = (trap: string): HostileReceiver =>
  receiver(
    'redirects to a private IP address',
    respondWith(`HTTP/1.1 307 Moved\r\nlocation: ${trap}\r\ncontent-length: 0\r\n\r\n`),
    307,
  );
