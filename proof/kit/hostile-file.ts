/** Malicious or broken media files, and the tools to make one from a valid file. */

export type HostileFile = {
  readonly name: string;
  readonly kind: 'image' | 'video' | 'audio';
  readonly bytes: Buffer;
  /**
   * `refused`: the bytes prove that the file is invalid. `measured`: its header lies, and the true
   * length is found. `unpriced`: players differ in how long they show it. `taken`: it breaks no
   * rule. `undecodable`: it breaks no rule, and yet no image can be decoded. `bounded`: any result,
   * as long as reading ends.
   */
  readonly outcome: 'refused' | 'measured' | 'unpriced' | 'taken' | 'undecodable' | 'bounded';
  /** The true length of a `measured` file, or what an `unpriced` one is limited by. */
  readonly seconds?: number;
};

/** Makes files of one kind; their outcome is `bounded` by default. */
export const filesOf =
  (kind: HostileFile['kind']) =>
  (name: string, bytes: Buffer, outcome: HostileFile['outcome'] = 'bounded'): HostileFile => ({
    name,
    kind,
    bytes,
    outcome,
  });

export const boxAt = (bytes: Buffer, name: string, from = 0): number => {
  const at = bytes.indexOf(name, from, 'latin1');
  if (at < 0) throw new Error(`no ${name} in this file`);
  return at;
};

export function patched(bytes: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

export const box = (name: string, content: Uint8Array = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8, 0);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, content]);
};

export const typeBox = box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1'));

/** Writes 32 bits at `at` bytes after the start of the box name. */
export const tampered = (mp4: Buffer, name: string, at: number, value: number): Buffer =>
  patched(mp4, (bytes) => bytes.writeUInt32BE(value, boxAt(bytes, name) + at));
