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
export function encodeCbor(value: CborValue): Buffer {
  const out = new Output();
  encodeInto(out, value);
  return out.bytes();
}

/** One growing buffer: a buffer for each value would take most of the time of a signature. */
class Output {
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  bytes(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  reserve(length: number): Buffer {
    const start = this.#length;
    this.#length += length;
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(2 * this.#length);
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    return this.#buffer.subarray(start, this.#length);
  }

  head(major: number, value: number): void {
    const size = value < 24 ? 0 : value < 0x100 ? 1 : value < 0x1_0000 ? 2 : 4;
    const bytes = this.reserve(1 + size);
    bytes[0] = (major << 5) | [value, 24, 25, 0, 26][size]!;
    if (size > 0) bytes.writeUIntBE(value, 1, size);
  }
}

function encodeInto(out: Output, value: CborValue): void {
  if (value === null || typeof value === 'boolean') out.head(7, value === null ? 22 : +value + 20);
  else if (typeof value === 'number') out.head(value >= 0 ? 0 : 1, value >= 0 ? value : -1 - value);
  else if (typeof value === 'string') {
    const length = Buffer.byteLength(value);
    out.head(3, length);
    out.reserve(length).write(value);
  } else if (Buffer.isBuffer(value)) {
    out.head(2, value.length);
    value.copy(out.reserve(value.length));
  } else if (value instanceof Date) {
    out.head(6, 0);
    encodeInto(out, dateText(value));
  } else if (Array.isArray(value)) {
    out.head(4, value.length);
    for (const one of value) encodeInto(out, one);
  } else {
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    out.head(5, entries.length);
    for (const [key, one] of entries) {
      encodeInto(out, key);
      encodeInto(out, one);
    }
  }
}

const dateText = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');

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
    const [major, info] = [first >> 5, first & 31];
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
