/** A file made to hurt whoever parses it, and the tools to make one from a sound one. */

export type HostileFile = {
  readonly name: string;
  readonly kind: 'image' | 'video' | 'audio';
  readonly bytes: Buffer;
  /**
   * `refused`: its bytes prove it wrong. `measured`: it lies and is seen through. `taken`: nothing
   * about it breaks a rule. `undecodable`: nor does it here, and yet there is nothing to be shown.
   * `bounded`: whatever gives out first, as long as it ends.
   */
  readonly outcome: 'refused' | 'measured' | 'taken' | 'undecodable' | 'bounded';
  /** What a measured one comes out as. */
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

/** `at` counts from the name of the box, as its fields do in the standard, plus four. */
export const tampered = (mp4: Buffer, name: string, at: number, value: number): Buffer =>
  patched(mp4, (bytes) => bytes.writeUInt32BE(value, boxAt(bytes, name) + at));
