/** Opens the store that the settings name: the disk of the home directory, or a bucket. */
import { statfs } from 'node:fs/promises';
import { openCloudFront, parseCdnUrl } from './cloudfront.ts';
import { countStorage } from './counted-storage.ts';
import { openDiskStorage } from './disk.ts';
import type { OpenedStorage, StorageOptions, UncountedStorage } from './opened-storage.ts';
import { probeDisk } from './probe-disk.ts';
import { parseS3Url } from './s3-settings.ts';
import { readStorageMark } from './storage-mark.ts';

/** Throws `ConfigError` if the bucket cannot be used. */
export async function openStorage(options: StorageOptions): Promise<OpenedStorage> {
  const { url, folder } = options;
  const opened = url === null ? await openDisk(folder) : await openBucketAt(url, options);
  return { ...opened, ...countStorage(opened.storage) };
}

/** Without a bucket, nothing of its client is loaded. */
async function openBucketAt(url: string, options: StorageOptions): Promise<UncountedStorage> {
  const { openBucket } = await import('./s3-bucket.ts');
  const settings = parseS3Url(url);
  const bucket = await openBucket(settings, options);
  if (options.cdnUrl === null) return bucket;
  const cdn = parseCdnUrl(options.cdnUrl);
  const presign = await openCloudFront(cdn, settings.prefix);
  return { ...bucket, presign, publicOrigin: new URL(cdn.base).origin };
}

async function openDisk(folder: string): Promise<UncountedStorage> {
  return {
    storage: await openDiskStorage(folder),
    place: folder,
    setting: 'VIDGEN_HOME',
    probe: () => probeDisk(folder),
    readMark: () => readStorageMark(folder),
    async freeBytes() {
      const found = await statfs(folder).catch(() => null);
      return found && found.bavail * found.bsize;
    },
    presign: null,
    publicOrigin: null,
    close: () => {},
  };
}
