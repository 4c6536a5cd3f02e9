/**
 * The manifest of a backup: what it consists of, with the digest of every part. It is written last,
 * so a backup without a valid manifest is not complete.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConfigError } from '../config/config.ts';
import { isKey } from '../storage/storage.ts';
import type { BackupStore } from './backup-store.ts';
import { Digest, Part } from './part.ts';

/** Names become parts of paths and of SQL. */
const Name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);

export const StoredKey = Part.extend({ key: z.string().refine(isKey) });
export type StoredKey = z.infer<typeof StoredKey>;

const Manifest = z.strictObject({
  format: z.literal(1),
  id: z.string(),
  /** When the snapshot of the database was taken, by its clock. */
  takenAt: z.iso.datetime(),
  vidgen: z.string(),
  migrations: z.array(z.strictObject({ name: z.string(), digest: Digest })),
  tables: z.array(Part.extend({ name: Name, columns: z.array(Name).min(1), rows: z.int().min(0) })),
  sequences: z.array(z.strictObject({ name: Name, last: z.string().regex(/^-?\d+$/) })),
  files: z.strictObject({
    count: z.int().min(0),
    bytes: z.int().min(0),
    /** The part with a line for each file. */
    list: Part,
    /** Results that expired or were deleted between the snapshot and the copy. */
    expired: z.int().min(0),
    /** Results that the database refers to and that were not in the storage. */
    lost: z.array(z.string()),
  }),
  /** The token in the home directory, if it has one. */
  adminToken: Part.extend({ bytes: z.int().min(0).max(4096) }).nullable(),
  /** What a bucket is marked with for this installation; null if VIDGEN_SECRET was not set. */
  storageOwner: z.string().nullable(),
  /** Whether VIDGEN_SECRET is needed, because the database does not hold the secret. */
  needsSecret: z.boolean(),
});
export type Manifest = z.infer<typeof Manifest>;

/** One of a hundred tables has about 50 KB. */
const manifestBytesMax = 4 * 1024 ** 2;

const Envelope = z.strictObject({ sha256: Digest, manifest: z.string() });

export const manifestPath = (id: string): string => `${id}/manifest.json`;
export const tablePath = (id: string, table: string): string => `${id}/tables/${table}.copy.gz`;
export const filePath = (id: string, key: string): string => `${id}/files/${key}`;
export const listPath = (id: string): string => `${id}/files.jsonl.gz`;
/** Written first: it is gone if another backup has deleted this one as incomplete. */
export const startedPath = (id: string): string => `${id}/started`;
export const tokenPath = (id: string): string => `${id}/admin-token`;

const digestOf = (content: string): string => createHash('sha256').update(content).digest('hex');

export async function writeManifest(store: BackupStore, manifest: Manifest): Promise<void> {
  const content = JSON.stringify(manifest, null, 1);
  const envelope = { sha256: digestOf(content), manifest: content };
  await store.write(manifestPath(manifest.id), [Buffer.from(JSON.stringify(envelope))]);
}

/** Returns null for a backup that is not complete; throws `ConfigError` for a damaged manifest. */
export async function readManifest(store: BackupStore, id: string): Promise<Manifest | null> {
  const stream = await store.read(manifestPath(id));
  if (stream === null) return null;
  const damaged = new ConfigError([`the manifest of the backup ${id} is damaged`]);
  try {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > manifestBytesMax) throw damaged;
      chunks.push(chunk);
    }
    const { sha256, manifest } = Envelope.parse(JSON.parse(Buffer.concat(chunks).toString()));
    if (digestOf(manifest) !== sha256) throw damaged;
    const parsed = Manifest.parse(JSON.parse(manifest));
    if (parsed.id !== id) throw damaged;
    return parsed;
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) throw damaged;
    throw error;
  }
}

/** The newest complete backup, or the named one; throws `ConfigError` if there is none. */
export async function findManifest(store: BackupStore, id: string | null): Promise<Manifest> {
  const ids = (await store.listBackups()).toSorted().reverse();
  for (const candidate of id === null ? ids : ids.filter((one) => one === id)) {
    const manifest = await readManifest(store, candidate);
    if (manifest) return manifest;
  }
  throw new ConfigError([
    id === null
      ? `${store.label} has no complete backup`
      : `${store.label} has no complete backup ${id}`,
  ]);
}
