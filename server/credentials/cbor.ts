/**
 * The part of CBOR (RFC 8949) that content credentials use. Decoding is bounded by the length of
 * the bytes and by a depth, so that hostile bytes cost no more than their length.
 */

export type CborValue =
  | null
  | boolean
  | number
  | string
  | Buffer
  | Date
  | readonly CborValue[]
  | Map<CborValue, CborValue>
  | { readonly [key: string]: CborValue };

const depthMax = 16;

/** Numbers are integers of at most 32 bits; objects keep the order of their keys. */
export const encodeCbor = (value: CborValue): Buffer => Buffer.from(encode(value), 'latin1');

/** A character for each byte: strings are joined faster than buffers. */
function encode(value: CborValue): string {
  if (value === null || typeof value === 'boolean')
    return head(7, value === null ? 22 : +value + 20);
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') {
    const text = Buffer.from(value).toString('latin1');
    return head(3, text.length) + text;
  }
  if (Buffer.isBuffer(value)) return head(2, value.length) + value.toString('latin1');
  if (value instanceof Date) return head(6, 0) + encode(dateText(value));
  if (Array.isArray(value)) return head(4, value.length) + value.map(encode).join('');
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const texts = entries.map(([key, one]) => encode(key) + encode(one));
  return head(5, entries.length) + texts.join('');
}

function head(major: number, value: number): string {
  const type = major << 5;
  if (value < 24) return String.fromCharCode(type | value);
  if (value < 0x100) return String.fromCharCode(type | 24, value);
  if (value < 0x1_0000) return String.fromCharCode(type | 25, value >> 8, value & 0xff);
  const bytes = Buffer.of(type | 26, 0, 0, 0, 0);
  bytes.writeUInt32BE(value, 1);
  return bytes.toString('latin1');
}

export const dateText = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');

/** Maps with text keys become objects without a prototype. Throws if anything is left over. */
export function decodeCbor(bytes: Buffer): CborValue {
  let at = 0;
  const take = (length: number): Buffer => {
    if (length > bytes.length - at) throw new RangeError('CBOR is cut off');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const length = (info: number): number => {
    if (info < 24) return info;
    if (info > 27) throw new RangeError('CBOR of unknown length');
    if (info === 27) return Number(take(8).readBigUInt64BE());
    const size = 2 ** (info - 24);
    return take(size).readUIntBE(0, size);
  };
  const read = (depth: number): CborValue => {
    if (depth > depthMax) throw new RangeError('CBOR is nested too deeply');
    const [first] = take(1) as unknown as [number];
    const major = first >> 5;
    const info = first & 31;
    if (major === 7) {
      if (info >= 20 && info <= 23) return [false, true, null, null][info - 20]!;
      take([0, 0, 0, 0, 1, 2, 4, 8][info - 20] ?? Number.POSITIVE_INFINITY);
      return null;
    }
    const count = length(info);
    if (major === 0) return count;
    if (major === 1) return -1 - count;
    if (major === 2) return take(count);
    if (major === 3) return take(count).toString();
    if (major === 6) return read(depth + 1);
    const isMap = major === 5;
    const items: CborValue[] = [];
    for (let left = isMap ? 2 * count : count; left > 0; left--) items.push(read(depth + 1));
    return isMap ? toMap(items) : items;
  };
  const value = read(0);
  if (at !== bytes.length) throw new RangeError('CBOR is followed by other bytes');
  return value;
}

function toMap(items: readonly CborValue[]): CborValue {
  const map = new Map<CborValue, CborValue>();
  for (let at = 0; at < items.length; at += 2) map.set(items[at]!, items[at + 1]!);
  const isText = [...map.keys()].every((key) => typeof key === 'string');
  return isText ? Object.assign(Object.create(null), Object.fromEntries(map)) : map;
}

/** The value at a path of keys; undefined if there is none. */
export function cborAt(value: CborValue | undefined, ...path: (string | number)[]) {
  let found = value;
  for (const key of path) {
    if (found === null || typeof found !== 'object') return undefined;
    found = found instanceof Map ? found.get(key) : (found as Record<string, CborValue>)[key];
  }
  return found;
}
