/**
 * The manifest that a result is signed with (C2PA 2.x): what is said of it, its binding to the
 * bytes of the file, and the signature over both. The same result always gets the same manifest.
 */
import { hash, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto';
import { type CborValue, dateText, encodeCbor } from './cbor.ts';

/** https://cv.iptc.org/newscodes/digitalsourcetype/ */
type SourceType =
  | 'trainedAlgorithmicMedia'
  | 'compositeWithTrainedAlgorithmicMedia'
  | 'algorithmicMedia';

/** What a manifest says of a file. Never prompt, account or provider. */
export type Statement = {
  readonly installation: string;
  readonly model: string;
  readonly sourceType: SourceType;
  /** When the provider accepted the task: the same however often the result is signed. */
  readonly at: Date;
  readonly taskId: string;
  /** Tells the files of a task apart. */
  readonly storageKey: string;
};

/** The algorithms of COSE that certificates of signers have. */
export const coseAlgorithms = { EdDSA: -8, ES256: -7, ES384: -35, PS256: -37 } as const;

export type Signer = {
  readonly key: KeyObject;
  readonly algorithm: keyof typeof coseAlgorithms;
  /** Certificates in DER, that of the key first, without the root. */
  readonly chain: readonly Buffer[];
};

export const generationLabel = 'vidgen.generation';
export const actionsLabel = 'c2pa.actions.v2';
const sourceTypes = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

export const sha256 = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer');

export function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 4, 'latin1');
  const bytes = Buffer.concat([header, ...parts]);
  bytes.writeUInt32BE(bytes.length);
  return bytes;
}

const contentTypeEnd = Buffer.from('00110010800000aa00389b71', 'hex');

/** A superbox of JUMBF (ISO 19566-5), which others can refer to by its label. */
function superbox(type: string, label: string, ...content: readonly Buffer[]): Buffer {
  const isRequestable = Buffer.of(3);
  const name = Buffer.from(`${label}\0`);
  const description = [Buffer.from(type, 'latin1'), contentTypeEnd, isRequestable, name];
  return box('jumb', box('jumd', ...description), ...content);
}

export type Assertion = { readonly label: string; readonly bytes: Buffer };

export const assertion = (label: string, value: CborValue): Assertion => ({
  label,
  bytes: superbox('cbor', label, box('cbor', encodeCbor(value))),
});

/** Hashes of assertions leave out the header of their box. */
export const assertionHash = (bytes: Buffer): Buffer => sha256(bytes.subarray(8));

/** Makes the manifest of one file. The place for it is left before its binding is known. */
export type ManifestMaker = {
  /** The size of the manifest with a binding of the same form. */
  readonly sizeOf: (binding: Assertion) => number;
  readonly manifestFor: (binding: Assertion) => Buffer;
};

/** A manifest is encoded once for all that say the same, and the rest is written into copies. */
export function createManifestMaker(statement: Statement, signer: Signer): ManifestMaker {
  const { installation, model, sourceType, at, taskId, storageKey } = statement;
  const templateFor = (binding: Assertion): Template => {
    const templates = templatesOf(signer);
    const { label, bytes } = binding;
    const key = JSON.stringify([installation, model, sourceType, label, bytes.length]);
    const known = templates.get(key);
    if (known) return known;
    const template = createTemplate(statement, signer, binding);
    templates.set(key, template);
    return template;
  };
  return {
    sizeOf: (binding) => templateFor(binding).size,
    manifestFor(binding) {
      const parts = {
        id: uuidOf(storageKey),
        when: dateText(at),
        task: hash('sha256', taskId, 'hex'),
        binding: binding.bytes,
      };
      return templateFor(binding).fill(parts, signer);
    },
  };
}

/** By chain of certificates. */
const knownTemplates = new WeakMap<Signer['chain'], Map<string, Template>>();
const templatesMax = 250;

function templatesOf({ chain }: Signer): Map<string, Template> {
  const known = knownTemplates.get(chain);
  if (known && known.size < templatesMax) return known;
  const templates = new Map<string, Template>();
  knownTemplates.set(chain, templates);
  return templates;
}

type Template = {
  readonly size: number;
  fill(parts: Parts, signer: Signer): Buffer;
};

/** What differs between manifests that say the same. The length of each is always the same. */
type Parts = {
  readonly id: string;
  readonly when: string;
  /** SHA-256 of the task ID, in hex. */
  readonly task: string;
  readonly binding: Buffer;
};

/** Encodes a manifest of random parts, and finds where they are. */
function createTemplate(statement: Statement, signer: Signer, binding: Assertion): Template {
  const id = randomUUID();
  const task = randomBytes(32).toString('hex');
  const signature = randomBytes(signatureBytes(signer));
  const all = [binding, ...statementAssertions(statement, task)];
  const assertions = all.map(({ bytes }) => bytes);
  const claim = encodeClaim(statement, id, all);
  const header = protectedHeader(signer);
  const encoded = assembleManifest({ urn: urnOf(id), assertions, claim, header, signature });
  const idsAt: number[] = [];
  for (let at = encoded.indexOf(id); at >= 0; at = encoded.indexOf(id, at + 1)) idsAt.push(at);
  const hashed = assertions.map((bytes) => {
    const at = encoded.indexOf(bytes);
    return { at, end: at + bytes.length, hashAt: encoded.indexOf(assertionHash(bytes)) };
  });
  const bindingAt = hashed[0]!.at;
  // The first: the name of a model, which follows, could be a time, too.
  const whenAt = encoded.indexOf(dateText(statement.at), hashed[1]!.at);
  const taskAt = encoded.indexOf(task);
  const claimAt = encoded.indexOf(claim);
  const signatureAt = encoded.indexOf(signature);
  const beforeClaim = signedBytes(header, claim).subarray(0, -claim.length);
  return {
    size: encoded.length,
    fill(parts, { key, algorithm }) {
      const bytes = Buffer.from(encoded);
      for (const at of idsAt) bytes.write(parts.id, at, 'latin1');
      bytes.write(parts.when, whenAt, 'latin1');
      bytes.write(parts.task, taskAt, 'latin1');
      parts.binding.copy(bytes, bindingAt);
      for (const { at, end, hashAt } of hashed) {
        assertionHash(bytes.subarray(at, end)).copy(bytes, hashAt);
      }
      const signed = [beforeClaim, bytes.subarray(claimAt, claimAt + claim.length)];
      signBytes({ key, algorithm }, Buffer.concat(signed)).copy(bytes, signatureAt);
      return bytes;
    },
  };
}

const urnOf = (id: string): string => `urn:c2pa:${id}`;

const encodeClaim = ({ model }: Statement, id: string, assertions: readonly Assertion[]): Buffer =>
  encodeCbor({
    instanceID: `xmp:iid:${id}`,
    claim_generator_info: { name: 'vidgen' },
    signature: `self#jumbf=/c2pa/${urnOf(id)}/c2pa.signature`,
    created_assertions: assertions.map(({ label, bytes }) => ({
      url: `self#jumbf=c2pa.assertions/${label}`,
      hash: assertionHash(bytes),
    })),
    'dc:title': `Video of ${model}`,
    alg: 'sha256',
  });

/** The only form that a manifest of ours has: what no signature covers is compared with it. */
export function assembleManifest(parts: {
  readonly urn: string;
  readonly assertions: readonly Buffer[];
  readonly claim: Buffer;
  readonly header: Buffer;
  readonly signature: Buffer;
}): Buffer {
  const { urn, assertions, claim, header, signature } = parts;
  const tagOfCose = Buffer.of(0xd2);
  const cose = box('cbor', tagOfCose, encodeCbor([header, {}, null, signature]));
  return superbox(
    'c2pa',
    'c2pa',
    superbox(
      'c2ma',
      urn,
      superbox('c2as', 'c2pa.assertions', ...assertions),
      superbox('c2cl', 'c2pa.claim.v2', box('cbor', claim)),
      superbox('c2cs', 'c2pa.signature', cose),
    ),
  );
}

function statementAssertions({ installation, model, sourceType, at }: Statement, task: string) {
  const created = {
    action: 'c2pa.created',
    when: at,
    softwareAgent: { name: model },
    digitalSourceType: `${sourceTypes}${sourceType}`,
  };
  return [
    assertion(actionsLabel, { actions: [created] }),
    assertion(generationLabel, { installation, model, task_sha256: task }),
  ];
}

/** The header of the signature: its algorithm, and the certificates of the signer. */
function protectedHeader({ algorithm, chain }: Signer): Buffer {
  const certificates = chain.length === 1 ? chain[0]! : chain;
  return encodeCbor(
    new Map<CborValue, CborValue>([
      [1, coseAlgorithms[algorithm]],
      [33, certificates],
    ]),
  );
}

/** What a COSE signature is over (RFC 9052, 4.4). */
export const signedBytes = (header: Buffer, claim: Buffer): Buffer =>
  encodeCbor(['Signature1', header, Buffer.alloc(0), claim]);

/** For `sign` and `verify` of Node. */
export const signingOptions = {
  EdDSA: { digest: null },
  ES256: { digest: 'sha256', dsaEncoding: 'ieee-p1363' },
  ES384: { digest: 'sha384', dsaEncoding: 'ieee-p1363' },
  // RSASSA-PSS with a salt as long as the digest.
  PS256: { digest: 'sha256', padding: 6, saltLength: -1 },
} as const;

function signBytes({ key, algorithm }: Pick<Signer, 'key' | 'algorithm'>, bytes: Buffer): Buffer {
  const { digest, ...options } = signingOptions[algorithm];
  // With options Node makes a new key of it, which takes as long as the signature.
  return sign(digest, bytes, algorithm === 'EdDSA' ? key : { key, ...options });
}

function signatureBytes({ key, algorithm }: Signer): number {
  if (algorithm === 'PS256') return key.asymmetricKeyDetails!.modulusLength! / 8;
  return algorithm === 'ES384' ? 96 : 64;
}

/** Version 4 in form, made from the key, so that signing twice names the same manifest. */
function uuidOf(storageKey: string): string {
  const bytes = hash('sha256', `manifest of ${storageKey}`, 'buffer').subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
