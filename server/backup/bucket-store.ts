/**
 * Backups in a bucket. There are no links there, so every backup has all of its files; delete old
 * ones by a lifecycle rule of the bucket.
 */
import { createS3Client } from '../storage/s3-client.ts';
import { createCredentialSource } from '../storage/s3-credentials.ts';
import { placeOf, type S3Settings } from '../storage/s3-settings.ts';
import { type BackupStore, isBackupId } from './backup-store.ts';
import type { Content } from './part.ts';

export function openBucketStore(
  settings: S3Settings,
  environment: Readonly<Record<string, string | undefined>>,
): BackupStore {
  const client = createS3Client({ settings, credentials: createCredentialSource(environment) });
  return {
    label: placeOf(settings),
    write: (key, content) => client.put({ key, content: asyncContent(content) }),
    read: (key) => client.get(key),
    async listBackups() {
      const ids = new Set<string>();
      for await (const { key } of client.list('')) ids.add(key.split('/')[0]!);
      return [...ids].filter(isBackupId);
    },
    async removeBackup(id) {
      const below = `${id}/`;
      for await (const upload of client.listUploads(below)) await client.abortUpload(upload);
      for await (const { key } of client.list(below)) await client.remove(key);
    },
    reuse: async () => false,
  };
}

async function* asyncContent(content: Content): AsyncGenerator<Uint8Array> {
  yield* content;
}
