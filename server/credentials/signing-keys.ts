/**
 * The keys that results are signed with, as rows: private keys are sealed, and certificates stay
 * for as long as files may have to be verified. Each change notifies every process.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Sealer } from '../crypto/seal.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { FollowedRows } from '../database/followed-rows.ts';
import type { Log } from '../telemetry/log.ts';
import {
  algorithmOf,
  createAuthority,
  createSigner,
  type Identity,
  keyIdOf,
  splitPem,
  subjectPart,
} from './certificates.ts';
import { type Signer, sha256 } from './manifest.ts';
import type { KnownKey } from './read-manifest.ts';

const signingKeysChannel = 'vidgen_signing_keys';

type Kind = 'authority' | 'signer' | 'bought';

/** A certificate as administrators see it. */
export type SigningCertificate = {
  readonly id: string;
  readonly kind: Kind;
  readonly subject: string;
  /** The chain in PEM. */
  readonly certificate: string;
  readonly createdAt: Date;
  readonly endsAt: Date;
  /** Since when nothing is signed with it; null if something may be. */
  readonly retiredAt: Date | null;
  /** Whether what begins now is signed with it. */
  readonly signs: boolean;
};

type Row = Pick<SigningCertificate, 'id' | 'kind' | 'certificate' | 'createdAt' | 'retiredAt'> & {
  /** Null if the key is in a setting. */
  readonly sealed: Buffer | null;
};

type LoadedKey = KnownKey & Omit<Row, 'sealed'> & { readonly key: KeyObject | null };

export type SigningKeysOptions = {
  readonly db: Database;
  readonly log: Log;
  readonly sealer: Sealer;
  /** The installation, as its certificates name it. */
  readonly organization: string;
  /** Of the settings; signs in place of our own. */
  readonly bought: Signer | null;
};

export class SigningKeys {
  readonly #options: SigningKeysOptions;
  readonly #rows = new FollowedRows(() => this.#read());
  /** Newest first. */
  #keys: readonly LoadedKey[] = [];
  #readText = '';
  #stop = async (): Promise<void> => {};

  constructor(options: SigningKeysOptions) {
    this.#options = options;
  }

  /** The first start of an installation makes its authority and its first signer. */
  async prepare(tx: Transaction): Promise<void> {
    const { bought } = this.#options;
    await lock(tx);
    const rows = await readRows(tx);
    if (!rows.some(({ kind }) => kind === 'signer')) await this.rotate(tx);
    if (bought) await insertBought(tx, bought);
  }

  async start(): Promise<void> {
    const { db, log } = this.#options;
    this.#stop = await this.#rows.follow(db, {
      channel: signingKeysChannel,
      onError: (error) => log.warn({ error }, 'signing keys not read, retrying'),
    });
  }

  async close(): Promise<void> {
    await this.#stop();
  }

  refresh(): Promise<void> {
    return this.#rows.refresh();
  }

  /** Whether signatures are made with a key of the settings, which are where it is replaced. */
  get isBought(): boolean {
    return this.#options.bought !== null;
  }

  /** Every key that a file may have been signed with. */
  get known(): readonly KnownKey[] {
    return this.#keys.filter(({ kind }) => kind !== 'authority');
  }

  list(): SigningCertificate[] {
    const current = this.#findKey(null);
    return this.#keys.map((one) => {
      const { id, kind, certificate, createdAt, retiredAt } = one;
      const { subject: names, validTo } = new X509Certificate(certificate);
      const subject = subjectPart(names, 'CN') ?? names;
      const times = { createdAt, retiredAt, endsAt: new Date(validTo) };
      return { id, kind, subject, certificate, ...times, signs: one === current };
    });
  }

  /**
   * The signer of what began at a time: the newest of then, whenever and wherever it is signed.
   * Throws if there is none.
   */
  signerOf(at: Date): Signer {
    const found = this.#findKey(at);
    if (!found?.key) throw new Error('there is no key to sign with');
    return { key: found.key, algorithm: found.algorithm, chain: found.chain };
  }

  /** Null is now. */
  #findKey(at: Date | null): LoadedKey | undefined {
    const usable = this.#keys.filter(({ kind, key }) => kind !== 'authority' && key !== null);
    const old = usable.filter(({ createdAt }) => at === null || createdAt <= at);
    const newest = (kind: Kind) => old.find((one) => one.kind === kind);
    return newest('bought') ?? newest('signer') ?? usable.at(-1);
  }

  /**
   * Makes another signer, certified by the same authority, and returns its ID. Files of the old one
   * stay valid.
   */
  async rotate(tx: Transaction): Promise<string> {
    const { organization } = this.#options;
    await lock(tx);
    const names = { organization, now: await readNow(tx) };
    const rows = await readRows(tx);
    const stored = rows.find(({ kind }) => kind === 'authority');
    const authority = stored ? this.#open(stored) : createAuthority(names);
    if (!stored) await this.#insert(tx, 'authority', authority);
    await tx.query(
      `update signing_keys set retired_at = clock_timestamp()
       where kind = 'signer' and retired_at is null`,
    );
    const id = await this.#insert(tx, 'signer', createSigner(authority, names));
    await tx.query('select pg_notify($1, $2)', [signingKeysChannel, '']);
    return id;
  }

  async #insert(tx: Transaction, kind: Kind, { key, certificate }: Identity): Promise<string> {
    const id = idOf(certificate);
    const text = key.export({ type: 'pkcs8', format: 'pem' }) as string;
    await tx.query(
      `insert into signing_keys (id, kind, certificate, sealed) values ($1, $2, $3, $4)`,
      [id, kind, new X509Certificate(certificate).toString(), this.#options.sealer.seal(id, text)],
    );
    return id;
  }

  #open({ id, certificate, sealed }: Row): Identity {
    const { raw, publicKey } = new X509Certificate(certificate);
    const key = createPrivateKey(this.#options.sealer.open(id, sealed!));
    return { key, publicKey, certificate: raw };
  }

  async #read(): Promise<void> {
    const { db, log, bought } = this.#options;
    const boughtId = bought && idOf(bought.chain[0]!);
    const rows = await readRows(db);
    const text = JSON.stringify(rows.map(({ id, retiredAt }) => [id, retiredAt]));
    if (text === this.#readText) return;
    this.#readText = text;
    const authorityRow = rows.find(({ kind }) => kind === 'authority');
    const authority = authorityRow ? new X509Certificate(authorityRow.certificate) : null;
    this.#keys = rows.flatMap(({ sealed, ...row }) => {
      try {
        const boughtKey = row.id === boughtId ? bought!.key : null;
        const key = sealed ? this.#open({ ...row, sealed }).key : boughtKey;
        return [{ ...row, ...certificatesOf(row.certificate, authority), key }];
      } catch (error) {
        log.error({ error, id: row.id }, 'signing key not usable');
        return [];
      }
    });
  }
}

const idOf = (certificate: Buffer): string => sha256(certificate).toString('hex');

/** What verification needs of a chain in PEM, and of the authority that certified it. */
function certificatesOf(pem: string, authority: X509Certificate | null): KnownKey {
  const chain = splitPem(pem).map((text) => new X509Certificate(text));
  const [first] = chain as [X509Certificate];
  const { publicKey } = first;
  // Of two places in a certificate, one changed byte leaves at least one as it was.
  const marks: Buffer[] = [publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)];
  if (authority?.subject === first.issuer) marks.push(keyIdOf(authority.publicKey));
  const algorithm = algorithmOf(publicKey)!;
  return { publicKey, algorithm, marks, chain: chain.map(({ raw }) => raw) };
}

/** Of two first starts, the second sees the keys of the first. */
async function lock(tx: Transaction): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('signing keys', 0))`);
}

async function readNow(tx: Transaction): Promise<Date> {
  const { rows } = await tx.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]!.now;
}

async function readRows(db: Queryable): Promise<Row[]> {
  const { rows } = await db.query<Row>(
    `select id, kind, certificate, sealed, created_at as "createdAt", retired_at as "retiredAt"
     from signing_keys order by created_at desc, id`,
  );
  return rows;
}

/** Its certificate outlives the setting, so that its files can be verified. */
async function insertBought(tx: Transaction, { chain }: Signer): Promise<void> {
  const pem = chain.map((raw) => new X509Certificate(raw).toString()).join('');
  await tx.query(
    `insert into signing_keys (id, kind, certificate) values ($1, 'bought', $2)
     on conflict (id) do nothing`,
    [idOf(chain[0]!), pem],
  );
}
