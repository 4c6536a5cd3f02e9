/**
 * A DNS server on 127.0.0.1 that responds from a table. It can stay silent, and it can change its
 * answer, as a name made for rebinding does.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export type DnsRecords = {
  readonly A?: readonly string[];
  /** The A records of every answer after the first. */
  readonly thenA?: readonly string[];
  readonly AAAA?: readonly string[];
  readonly thenAAAA?: readonly string[];
  /** A name or a chain of names; the addresses belong to the last one. */
  readonly CNAME?: string | readonly string[];
  readonly silent?: boolean;
};

const types = new Map([
  [1, 'A'],
  [28, 'AAAA'],
]);

/** The table may be changed while the server runs. */
export async function startDnsServer(table: Readonly<Record<string, DnsRecords>>) {
  const questions: string[] = [];
  const seen = new Set<string>();
  const socket = createSocket('udp4');
  socket.on('message', (query, sender) => {
    const { name, type, end } = readQuestion(query);
    const isRepeated = seen.has(`${name} ${type}`);
    seen.add(`${name} ${type}`);
    questions.push(`${name} ${type}`);
    const records = table[name];
    if (records?.silent) return;
    const answers = answersFrom(records ?? {}, { type, isRepeated });
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(records === undefined ? 0x8183 : 0x8180, 2); // NXDOMAIN or no error.
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), sender.port);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    /** All questions in order, as `name type`. */
    questions,
    close: async (): Promise<void> => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function answersFrom(
  records: DnsRecords,
  { type, isRepeated }: { type: string; isRepeated: boolean },
): Buffer[] {
  const ipv4 = (isRepeated ? records.thenA : undefined) ?? records.A ?? [];
  const ipv6 = (isRepeated ? records.thenAAAA : undefined) ?? records.AAAA ?? [];
  const addresses = type === 'A' ? ipv4.map(ipv4Bytes) : ipv6.map(ipv6Bytes);
  let owner: Buffer = theQuestion;
  const aliases = [records.CNAME ?? []].flat().map((name) => {
    const alias = record(owner, { type: 'CNAME', data: nameBytes(name) });
    owner = nameBytes(name);
    return alias;
  });
  return [...aliases, ...addresses.map((data) => record(owner, { type, data }))];
}

function readQuestion(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = types.get(query.readUInt16BE(at + 1)) ?? 'other';
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 };
}

/** A pointer to the name in the question. */
const theQuestion = Buffer.from([0xc0, 0x0c]);

/** With a time to live of 0. */
function record(owner: Buffer, { type, data }: { type: string; data: Buffer }): Buffer {
  const code = { A: 1, CNAME: 5, AAAA: 28 }[type] ?? 0;
  const head = Buffer.alloc(10);
  head.writeUInt16BE(code, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(0, 4);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, head, data]);
}

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

const ipv4Bytes = (address: string): Buffer => Buffer.from(address.split('.').map(Number));

function ipv6Bytes(address: string): Buffer {
  const host = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [left = [], right = []] = host
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
