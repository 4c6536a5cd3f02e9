/**
 * Certificates of an installation, in DER: an authority, and signers that it certifies, both with
 * Ed25519 keys. As C2PA 2.x (14.5) requires them; nobody else trusts the authority by itself.
 */
import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import type { Signer } from './manifest.ts';

export type Identity = {
  readonly key: KeyObject;
  readonly publicKey: KeyObject;
  /** In DER. */
  readonly certificate: Buffer;
};

const yearMs = 365.25 * 24 * 3600 * 1000;
/** Results have no time stamps of a third party: a certificate must outlive what it signed. */
const authorityYears = 30;
const signerYears = 15;

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 128) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const length = Buffer.from(content.length.toString(16).padStart(4, '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x82), length, content]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const octets = (...parts: readonly Buffer[]) => der(0x04, ...parts);

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((part) => {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return der(0x06, Buffer.of(40 * first + second, ...bytes));
}

const ed25519 = sequence(oid('1.3.101.112'));
const yes = Buffer.from('0101ff', 'hex');

/** RFC 5280, 4.1.2.5: two digits of the year until 2049. */
function time(date: Date): Buffer {
  const text = `${date.toISOString().replace(/[-T:]|\.\d+/g, '')}`;
  const isShort = date.getUTCFullYear() < 2050;
  return der(isShort ? 0x17 : 0x18, Buffer.from(isShort ? text.slice(2) : text));
}

/** RFC 5280 allows 64 characters. */
const name = (organization: string, commonName: string) =>
  sequence(
    ...(
      [
        ['2.5.4.10', organization],
        ['2.5.4.3', commonName],
      ] as const
    ).map(([type, text]) =>
      der(0x31, sequence(oid(type), der(0x0c, Buffer.from(text.slice(0, 64))))),
    ),
  );

const extension = (id: string, value: Buffer, { isCritical = false } = {}) =>
  sequence(oid(id), ...(isCritical ? [yes] : []), octets(value));

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
/** Of the bare key of 32 bytes, as RFC 5280 suggests. */
export const keyIdOf = (key: KeyObject): Buffer =>
  createHash('sha1').update(spkiOf(key).subarray(-32)).digest();

type Names = { readonly organization: string; readonly now: Date };

export function createAuthority({ organization, now }: Names): Identity {
  const keys = generateKeyPairSync('ed25519');
  const subject = authorityName(organization);
  const extensions = [
    extension('2.5.29.19', sequence(yes), { isCritical: true }),
    // May sign certificates and lists of revoked ones.
    extension('2.5.29.15', Buffer.from('03020106', 'hex'), { isCritical: true }),
  ];
  const years = authorityYears;
  const issuer = { key: keys.privateKey, publicKey: keys.publicKey, name: subject };
  return certify(keys, { subject, issuer, extensions, now, years });
}

export function createSigner(authority: Identity, names: Names): Identity {
  const { organization, now } = names;
  const keys = generateKeyPairSync('ed25519');
  const subject = name(organization, `Content credentials of ${organization}`);
  const extensions = [
    extension('2.5.29.19', sequence(), { isCritical: true }),
    // May make digital signatures, for the purpose that every validator of C2PA accepts.
    extension('2.5.29.15', Buffer.from('03020780', 'hex'), { isCritical: true }),
    extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.4'))),
  ];
  // As it was named when it was made.
  const { subject: issuerName } = new X509Certificate(authority.certificate);
  const issuedBy = subjectPart(issuerName, 'O') ?? organization;
  const issuer = { ...authority, name: authorityName(issuedBy) };
  return certify(keys, { subject, issuer, extensions, now, years: signerYears });
}

/** Of a subject as Node writes it, one part a line. */
export function subjectPart(subject: string, part: 'O' | 'CN'): string | undefined {
  const line = subject.split('\n').find((one) => one.startsWith(`${part}=`));
  return line?.slice(part.length + 1);
}

const authorityName = (organization: string) =>
  name(organization, `Certificate authority of ${organization}`);

function certify(
  { publicKey, privateKey }: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  options: {
    readonly subject: Buffer;
    readonly issuer: Omit<Identity, 'certificate'> & { readonly name: Buffer };
    readonly extensions: readonly Buffer[];
    readonly now: Date;
    readonly years: number;
  },
): Identity {
  const { subject, issuer, extensions, now, years } = options;
  const serial = randomBytes(16);
  // A positive number without leading zeros.
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  const keyIds = [
    extension('2.5.29.14', octets(keyIdOf(publicKey))),
    extension('2.5.29.35', sequence(der(0x80, keyIdOf(issuer.publicKey)))),
  ];
  // The clock of another machine may be behind.
  const [from, until] = [-3600_000, years * yearMs].map((ms) => time(new Date(+now + ms)));
  const content = sequence(
    Buffer.from('a003020102', 'hex'),
    der(0x02, serial),
    ...[ed25519, issuer.name, sequence(from!, until!), subject, spkiOf(publicKey)],
    der(0xa3, sequence(...extensions, ...keyIds)),
  );
  const signature = der(0x03, Buffer.of(0), sign(null, content, issuer.key));
  return { key: privateKey, publicKey, certificate: sequence(content, ed25519, signature) };
}

export const splitPem = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

/** Null for keys that C2PA does not allow (2.x, 13.2.1). */
export function algorithmOf(key: KeyObject): Signer['algorithm'] | null {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA';
  if (key.asymmetricKeyType === 'rsa') return modulusLength >= 2048 ? 'PS256' : null;
  const curves = { prime256v1: 'ES256', secp384r1: 'ES384' } as const;
  return curves[namedCurve as keyof typeof curves] ?? null;
}
