/**
 * Receivers of webhook calls that mean harm, or are very broken, and how a call to each must end:
 * delivered at the first attempt, or given up after six that all failed in the same way.
 */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startInterval, startTimer } from '../../../server/clock.ts';
import type { FailureCode } from '../../../server/egress/failure.ts';

export type HostileReceiver = {
  readonly name: string;
  readonly receive: (socket: Socket) => void;
  /** When it acts: once the whole call is here, which is the rule, or as soon as it is dialled. */
  readonly from?: 'connection';
  /** It is called by https. */
  readonly isSecure?: true;
  /** The status of every attempt, or the failure, where timing decides one of several. */
  readonly ends: number | readonly FailureCode[];
  /** It holds the call until the deadline. */
  readonly isSlow?: true;
};

const dripMs = 300;
/** Later than a call may take (Spec 6.1.2), and sooner than its connection would be forgotten. */
const tooLateMs = 16_000;
const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n';

const respondWith =
  (text: string | Uint8Array) =>
  (socket: Socket): void =>
    void socket.end(text);

/** First this, then that again and again until the other side has had enough. */
const drips =
  (first: string, then: string) =>
  (socket: Socket): void => {
    socket.write(first);
    const timer = startInterval(dripMs, () => void socket.write(then));
    socket.once('close', timer.stop);
  };

/** First this, then that without end, as fast as it is taken. */
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

/** Keeps the connection although it was asked not to, and breaks it when nobody is there. */
function resetsLate(socket: Socket): void {
  socket.write(`${ok}connection: keep-alive\r\ncontent-length: 2\r\n\r\nok`);
  const timer = startTimer(dripMs, () => socket.resetAndDestroy());
  socket.once('close', timer.stop);
}

/** An HTTP/2 server begins with its settings, asked or not. */
const http2Settings = Buffer.from(
  '0000120400000000000003000000640004000100000006000040000000',
  'hex',
);

const silent: readonly HostileReceiver[] = [
  { name: 'never answers', receive: () => {}, ends: ['timeout'], isSlow: true },
  { name: 'drips its header', receive: drips(ok, 'x'), ends: ['timeout'], isSlow: true },
  { name: 'drips 103 without end', receive: drips(hint, hint), ends: ['timeout'], isSlow: true },
  { name: 'answers too late', receive: respondsTooLate, ends: ['timeout'], isSlow: true },
  { name: 'never starts TLS', receive: () => {}, isSecure: true, ends: ['timeout'], isSlow: true },
  { name: 'drips its body', receive: drips(`${ok}\r\n`, 'x'), ends: 200, isSlow: true },
  { name: 'hangs in its body', receive: (one) => void one.write(chunked), ends: 200, isSlow: true },
];

const endless: readonly HostileReceiver[] = [
  { name: 'floods with 103', receive: floods('', hint), ends: ['protocol'] },
  { name: 'floods with empty lines', receive: floods('', '\r\n'), ends: ['protocol'] },
  { name: 'has a header without end', receive: floods(ok, 'x-a: b\r\n'), ends: ['protocol'] },
  { name: 'has a reason without end', receive: floods('HTTP/1.1 200 ', 'x'), ends: ['protocol'] },
  { name: 'has a body without end', receive: floods(`${ok}\r\n`, 'x'), ends: 200 },
  {
    name: 'fails with a body without end',
    receive: floods('HTTP/1.1 500 No\r\n\r\n', 'x'),
    ends: 500,
  },
  { name: 'has a chunk size without end', receive: floods(chunked, '0'), ends: 200 },
  { name: 'has an extension without end', receive: floods(`${chunked}1;`, 'x'), ends: 200 },
  { name: 'has trailers without end', receive: floods(`${chunked}0\r\n`, 'x-a: b\r\n'), ends: 200 },
  {
    name: 'has a megabyte of headers',
    receive: respondWith(`${ok}${`x-a: ${'a'.repeat(1000)}\r\n`.repeat(1000)}\r\n`),
    ends: ['protocol', 'closed'],
  },
  { name: 'sends a gzip bomb', receive: bombs, ends: 200 },
];

const broken: readonly HostileReceiver[] = [
  { name: 'resets the call', receive: (one) => void one.resetAndDestroy(), ends: ['closed'] },
  { name: 'hangs up instead', receive: (one) => void one.end(), ends: ['closed'] },
  {
    name: 'hangs up at once',
    receive: (one) => void one.resetAndDestroy(),
    from: 'connection',
    ends: ['closed', 'connect'],
  },
  {
    name: 'breaks TLS',
    receive: respondWith('no\r\n'),
    isSecure: true,
    from: 'connection',
    ends: ['tls'],
  },
  { name: 'speaks garbage', receive: respondWith(Buffer.alloc(999, 0xfe)), ends: ['protocol'] },
  {
    name: 'speaks HTTP/2',
    receive: respondWith(http2Settings),
    from: 'connection',
    ends: ['protocol'],
  },
  {
    name: 'speaks SSH',
    receive: respondWith('SSH-2.0-x\r\n'),
    from: 'connection',
    ends: ['protocol'],
  },
  { name: 'has no number', receive: respondWith('HTTP/1.1 abc\r\n\r\n'), ends: ['protocol'] },
  { name: 'has four digits', receive: respondWith('HTTP/1.1 2000 OK\r\n\r\n'), ends: ['protocol'] },
  { name: 'has a field without colon', receive: respondWith(`${ok}x\r\n\r\n`), ends: ['protocol'] },
  {
    name: 'has a negative length',
    receive: respondWith(`${ok}content-length: -1\r\n\r\n`),
    ends: ['protocol'],
  },
  {
    name: 'has two lengths',
    receive: respondWith(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
    ends: ['protocol'],
  },
  {
    name: 'has a length and chunks',
    receive: respondWith(
      `${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    ),
    ends: ['protocol'],
  },
  {
    name: 'switches protocols',
    receive: respondWith(
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ),
    ends: ['protocol', 'closed'],
  },
];

const sly: readonly HostileReceiver[] = [
  {
    name: 'smuggles a failure behind its 200',
    receive: respondWith(`${ok}content-length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n`),
    ends: 200,
  },
  {
    name: 'smuggles a 200 behind its failure',
    receive: respondWith(`HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno${ok}\r\n`),
    ends: 500,
  },
  {
    name: 'has a body with its 204',
    receive: respondWith('HTTP/1.1 204 No\r\n\r\nbody'),
    ends: 204,
  },
  {
    name: 'says 100 thrice',
    receive: respondWith(`${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)}${ok}\r\n`),
    ends: 200,
  },
  {
    name: 'says 100 and no more',
    receive: respondWith('HTTP/1.1 100 Continue\r\n\r\n'),
    ends: ['closed'],
  },
  { name: 'resets when all is over', receive: resetsLate, ends: 200 },
  {
    name: 'breaks off its body',
    receive: respondWith(`${ok}content-length: 99\r\n\r\nx`),
    ends: 200,
  },
  {
    name: 'has bytes that are no text',
    receive: respondWith(Buffer.from([...Buffer.from(`${ok}\r\n`), 0, 0xff, 0xed, 0xa0, 0x80])),
    ends: 200,
  },
];

export const receiverScripts: readonly HostileReceiver[] = [
  ...silent,
  ...endless,
  ...broken,
  ...sly,
];

/** Given where nobody must ever come. */
export const redirectingReceiver = (trap: string): HostileReceiver => ({
  name: 'redirects to a private address',
  receive: respondWith(`HTTP/1.1 307 Moved\r\nlocation: ${trap}\r\ncontent-length: 0\r\n\r\n`),
  ends: 307,
});
