/**
 * Reads a manifest of at most 64 KiB, from anyone. Only those signed with a key of this
 * installation are judged; of others, what they claim is read, and no certificate.
 */
import { type KeyObject, verify } from 'node:crypto';
import { type CborValue, cborAt, decodeCbor } from './cbor.ts';
import {
  actionsLabel,
  assembleManifest,
  assertionHash,
  coseAlgorithms,
  generationLabel,
  type Signer,
  signedBytes,
  signingOptions,
} from './manifest.ts';

export const manifestBytesMax = 64 * 1024;
/** More than a manifest of ours has. */
const boxesMax = 64;

/** What a manifest says of its file. Texts of others, cut to a length. */
export type Claims = {
  readonly generator: string | null;
  readonly title: string | null;
  /** How the media came to be, such as `trainedAlgorithmicMedia`. */
  readonly sourceType: string | null;
  readonly installation: string | null;
  readonly model: string | null;
  readonly taskSha256: string | null;
  readonly signedAt: Date | null;
};

export type ReadManifest = {
  /** `broken`: it looks like one of ours, and is not as we signed it. */
  readonly signer: 'ours' | 'broken' | 'other';
  readonly claims: Claims | null;
  /** By label, of the active manifest. */
  readonly assertions: ReadonlyMap<string, Buffer>;
};

/** A key that files were signed with, now or earlier. */
export type KnownKey = Pick<Signer, 'algorithm' | 'chain'> & {
  readonly publicKey: KeyObject;
  /** Bytes that are in each of its manifests, and not in those of others. */
  readonly marks: readonly Buffer[];
};

export function readManifest(bytes: Buffer, keys: readonly KnownKey[]): ReadManifest {
  const parsed = unlessInvalid(() => parseManifest(bytes));
  const isOurs = parsed && unlessInvalid(() => isSignedBy(parsed, { bytes, keys }));
  const isMarked = keys.some(({ marks }) => marks.some((mark) => bytes.includes(mark)));
  // A later manifest, of an editor, may contain ours as an ingredient.
  const isAlone = parsed === undefined || parsed.count === 1;
  const signer = isOurs ? 'ours' : isMarked && isAlone ? 'broken' : 'other';
  const claims = parsed && signer !== 'broken' ? claimsOf(parsed) : null;
  return { signer, claims, assertions: parsed?.assertions ?? new Map() };
}

function unlessInvalid<Read>(read: () => Read): Read | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

type ParsedManifest = {
  readonly count: number;
  readonly urn: string;
  readonly assertions: ReadonlyMap<string, Buffer>;
  readonly claim: Buffer;
  readonly signature: Buffer;
};

/** The last manifest of the store is the active one (C2PA 2.x, 11.1.4.2). */
function parseManifest(bytes: Buffer): ParsedManifest {
  const stores = boxesIn(bytes);
  const manifests = stores.length === 1 ? superboxesIn(contentOf(stores[0]!)) : [];
  const active = manifests.at(-1);
  if (!active) throw new RangeError('no manifest');
  const parts = new Map(superboxesIn(active.content).map((part) => [part.label, part]));
  const claim = parts.get('c2pa.claim.v2') ?? parts.get('c2pa.claim');
  const signature = parts.get('c2pa.signature');
  const assertions = parts.get('c2pa.assertions');
  if (!claim || !signature || !assertions) throw new RangeError('incomplete manifest');
  return {
    count: manifests.length,
    urn: active.label,
    assertions: new Map(superboxesIn(assertions.content).map(({ label, box }) => [label, box])),
    claim: cborIn(claim.content),
    signature: cborIn(signature.content),
  };
}

type Box = { readonly type: string; readonly bytes: Buffer };

function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = at + 8 <= bytes.length ? bytes.readUInt32BE(at) : 0;
    if (size < 8 || size > bytes.length - at) throw new RangeError('a box is cut off');
    boxes.push({
      type: bytes.toString('latin1', at + 4, at + 8),
      bytes: bytes.subarray(at, at + size),
    });
    if (boxes.length > boxesMax) throw new RangeError('too many boxes');
    at += size;
  }
  return boxes;
}

/** Without the box that describes it. */
function contentOf({ type, bytes }: Box): Buffer {
  const [description] = type === 'jumb' ? boxesIn(bytes.subarray(8)) : [];
  if (description?.type !== 'jumd') throw new RangeError('not a superbox');
  return bytes.subarray(8 + description.bytes.length);
}

function superboxesIn(bytes: Buffer) {
  return boxesIn(bytes).map((box) => {
    const content = contentOf(box);
    const description = box.bytes.subarray(16, box.bytes.length - content.length);
    const label = description.subarray(17, description.indexOf(0, 17)).toString();
    return { label, content, box: box.bytes };
  });
}

function cborIn(content: Buffer): Buffer {
  const [first] = boxesIn(content);
  if (first?.type !== 'cbor') throw new RangeError('no CBOR');
  return first.bytes.subarray(8);
}

/** Whether the key's signature is over the claim, and the claim over everything else. */
function isSignedBy(
  { urn, claim, signature: cose, assertions }: ParsedManifest,
  { bytes, keys }: { readonly bytes: Buffer; readonly keys: readonly KnownKey[] },
): boolean {
  const decoded = decodeCbor(cose);
  const header = cborAt(decoded, 0);
  const signature = cborAt(decoded, 3);
  if (!Buffer.isBuffer(header) || !Buffer.isBuffer(signature)) return false;
  const key = findKnownKey(decodeCbor(header), keys);
  if (!key) return false;
  const { digest, ...options } = signingOptions[key.algorithm];
  const signer = { key: key.publicKey, ...options };
  if (!verify(digest, signedBytes(header, claim), signer, signature)) return false;
  const parts = { urn, assertions: [...assertions.values()], claim, header, signature };
  const claimed = decodeCbor(claim);
  if (!String(cborAt(claimed, 'signature')).includes(`/${urn}/`)) return false;
  return assembleManifest(parts).equals(bytes) && areListed(claimed, assertions);
}

function findKnownKey(header: CborValue, keys: readonly KnownKey[]): KnownKey | undefined {
  const chain = cborAt(header, 33);
  const certificate = Array.isArray(chain) ? chain[0] : chain;
  if (!Buffer.isBuffer(certificate)) return undefined;
  return keys.find(
    (key) =>
      key.chain[0]!.equals(certificate) && cborAt(header, 1) === coseAlgorithms[key.algorithm],
  );
}

/** Whether the claim has the hash of each assertion, and of no other. */
function areListed(claim: CborValue, assertions: ReadonlyMap<string, Buffer>): boolean {
  const listed = cborAt(claim, 'created_assertions');
  if (!Array.isArray(listed) || listed.length !== assertions.size) return false;
  return listed.every((one) => {
    const label = String(cborAt(one, 'url')).replace('self#jumbf=c2pa.assertions/', '');
    const hash = cborAt(one, 'hash');
    const found = assertions.get(label);
    return found !== undefined && Buffer.isBuffer(hash) && assertionHash(found).equals(hash);
  });
}

const textMax = 200;

function claimsOf({ claim, assertions }: ParsedManifest): Claims {
  const decoded = unlessInvalid(() => decodeCbor(claim));
  const generation = decodeAssertion(assertions, generationLabel);
  const actions =
    decodeAssertion(assertions, actionsLabel) ?? decodeAssertion(assertions, 'c2pa.actions');
  const created = cborAt(actions, 'actions', 0);
  // A list in the first version of the claim.
  const info = cborAt(decoded, 'claim_generator_info');
  const generator = cborAt(Array.isArray(info) ? info[0] : info, 'name');
  const when = asText(cborAt(created, 'when'));
  const signedAt = when === null ? Number.NaN : Date.parse(when);
  return {
    generator: asText(generator) ?? asText(cborAt(decoded, 'claim_generator')),
    title: asText(cborAt(decoded, 'dc:title')),
    sourceType: asText(cborAt(created, 'digitalSourceType'))?.split('/').at(-1) ?? null,
    installation: asText(cborAt(generation, 'installation')),
    model: asText(cborAt(generation, 'model')),
    taskSha256: asText(cborAt(generation, 'task_sha256')),
    signedAt: Number.isNaN(signedAt) ? null : new Date(signedAt),
  };
}

const asText = (value: CborValue | undefined): string | null =>
  typeof value === 'string' ? value.slice(0, textMax) : null;

/** Bytes become base64. An assertion that is no CBOR is left out. */
export function assertionsAsJson(assertions: ReadManifest['assertions']): Record<string, unknown> {
  const toJson = (value: CborValue): unknown => {
    if (Buffer.isBuffer(value)) return value.toString('base64');
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(toJson);
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    return Object.fromEntries(entries.map(([key, one]) => [String(key), toJson(one)]));
  };
  return Object.fromEntries(
    [...assertions.keys()].flatMap((label) => {
      const value = decodeAssertion(assertions, label);
      return value === undefined ? [] : [[label, toJson(value)]];
    }),
  );
}

const decodeAssertion = (assertions: ReadonlyMap<string, Buffer>, label: string) =>
  unlessInvalid(() =>
    decodeCbor(cborIn(contentOf({ type: 'jumb', bytes: assertions.get(label)! }))),
  );
