/**
 * Opens a bucket for one installation. At the start a file is stored, read and removed, so that
 * missing rights are reported before the first video is made.
 */
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { ConfigError } from '../config/config.ts';
import type { PresignFile, StorageOptions, UncountedStorage } from './opened-storage.ts';
import { disposition } from './range.ts';
import { createS3Storage } from './s3.ts';
import { createS3Client, type S3Client } from './s3-client.ts';
import { createCredentialSource } from './s3-credentials.ts';
import { placeOf, type S3Settings, s3Location } from './s3-settings.ts';
import { parseKey } from './storage.ts';
import { isStorageError, StorageError } from './storage-error.ts';
import { storageMarkName } from './storage-mark.ts';

/** No key can start with a dot, so these objects are never mistaken for results. */
const ownerName = '.owner';
const probeName = '.probe';

export async function openBucket(
  settings: S3Settings,
  { credentials, owner }: Pick<StorageOptions, 'credentials' | 'owner'>,
): Promise<UncountedStorage> {
  const client = createS3Client({ settings, credentials: createCredentialSource(credentials) });
  try {
    await requireRights(client);
    await requireOwner(client, { owner, place: placeOf(settings) });
  } catch (error) {
    client.close();
    if (!isStorageError(error)) throw error;
    throw new ConfigError([`VIDGEN_STORAGE_URL: ${(error as Error).message}`]);
  }
  return {
    storage: createS3Storage(client),
    place: placeOf(settings),
    setting: 'VIDGEN_STORAGE_URL',
    probe: () => requireMark(client),
    readMark: () => readOrSet(client, storageMarkName, randomUUID()),
    freeBytes: async () => null,
    presign: (file) => presign(client, file),
    publicOrigin: s3Location(settings, settings.publicEndpoint).origin,
    close: () => client.close(),
  };
}

async function requireRights(client: S3Client): Promise<void> {
  const key = `${probeName}-${randomUUID()}`;
  await client.put({ key, content: contentOf('probe') });
  const stored = await client.get(key);
  await stored?.toArray();
  await client.remove(key);
  for await (const _ of client.list(probeName)) break;
  for await (const _ of client.listUploads(probeName)) break;
}

/** Another installation on the same prefix would delete our results as orphans, and we its. */
async function requireOwner(
  client: S3Client,
  { owner, place }: { readonly owner: string; readonly place: string },
): Promise<void> {
  if ((await readOrSet(client, ownerName, owner)) === owner) return;
  throw new ConfigError([
    `VIDGEN_STORAGE_URL: ${place} belongs to another installation, and each would delete the ` +
      `files of the other; use another prefix, or delete ${place}${ownerName} if the other one ` +
      'is gone',
  ]);
}

/** Of two processes that write at once, one wins, and both return its text. */
async function readOrSet(client: S3Client, key: string, value: string): Promise<string> {
  const known = await client.get(key);
  if (known) return (await text(known)).trim();
  const put = (isNew: boolean) => client.put({ key, content: contentOf(`${value}\n`), isNew });
  try {
    await put(true);
  } catch (error) {
    // Some stores have no conditions; then only two first starts at once could disagree.
    if ((error as StorageError).code === 'NotImplemented') await put(false);
    else if (!isStorageError(error, 'exists')) throw error;
  }
  const stored = await client.get(key);
  return stored ? (await text(stored)).trim() : value;
}

/** One request that costs little: the mark is there as long as the bucket is the same. */
async function requireMark(client: S3Client): Promise<void> {
  if (await client.head(storageMarkName)) return;
  const message = `${storageMarkName} is missing in the bucket; it was emptied or replaced`;
  throw new StorageError('not_found', { code: 'NoSuchKey', message });
}

const presign = (
  client: S3Client,
  { key, method, seconds, fileName }: Parameters<PresignFile>[0],
): Promise<string> => {
  const query = {
    'response-content-type': parseKey(key).contentType,
    'response-content-disposition': disposition(fileName),
    'response-cache-control': 'private',
  };
  return client.presign({ method, key, seconds, query });
};

async function* contentOf(content: string): AsyncGenerator<Buffer> {
  yield Buffer.from(content);
}
