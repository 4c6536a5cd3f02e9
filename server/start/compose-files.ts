/** What reads files by URL: our own ones from storage, all others through the guard. */
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { createEgress } from '../egress/egress.ts';
import { parseNetworks } from '../egress/ip-address.ts';
import { createKeyedSemaphore } from '../egress/keyed-semaphore.ts';
import { type SourceCopies, sourceDownloadsMax } from '../lifecycle/submit/copy-sources.ts';
import { createMaterials } from '../materials/materials.ts';
import { createVideoLengths } from '../providers/posters/video-lengths.ts';
import { createLocalResults, withLocalUploads } from '../storage/local-uploads.ts';
import type { Storage } from '../storage/storage.ts';
import { createUploads } from '../storage/uploads.ts';
import { findTask } from '../tasks/store.ts';
import { resultKeys } from '../tasks/task.ts';
import type { Log } from '../telemetry/log.ts';

type FileDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly log: Log;
  readonly publicUrl: () => string;
};

type FileAccess = {
  readonly storage: Storage;
  readonly urlSigningSecret: string;
  readonly nowSeconds: () => number;
};

export function openFiles({ config, db, log, publicUrl }: FileDeps, access: FileAccess) {
  const { storage, urlSigningSecret: secret, nowSeconds } = access;
  const signed = { storage, secret, publicUrl, nowSeconds };
  const uploads = createUploads(signed);
  const guard = createEgress({ allowedNetworks: parseNetworks(config.allowedNetworks) });
  const results = createLocalResults({ ...signed, findKey: (named) => findResultKey(db, named) });
  const egress = withLocalUploads(withLocalUploads(guard, uploads), results);
  const { materials: unreachablePolicy, materialBytesMax: sizes } = config;
  const materials = createMaterials({ egress, unreachablePolicy, sizes, log });
  const lengths = createVideoLengths({ tempFolder: downloadsOf(config), log });
  const sources: SourceCopies = {
    bytesMax: sizes.video,
    slots: createKeyedSemaphore(sourceDownloadsMax),
    measureVideo: materials.measureVideo,
    measureShown: lengths.measure,
    shapeOf: lengths.shapeOf,
    find: uploads.findCopy,
    save: uploads.saveCopy,
    copyKey: uploads.keyOfCopy,
    bytesOf: uploads.copiedBytes,
  };
  return { uploads, guard, egress, materials, lengths, sources };
}

export const downloadsOf = ({ home }: Config): string => join(home, 'downloads');

async function findResultKey(
  db: Database,
  { taskId, name }: { readonly taskId: string; readonly name: string },
): Promise<string | null> {
  const task = await findTask(db, taskId);
  if (!task?.result || task.expired) return null;
  return resultKeys(task.result).find((key) => key.endsWith(`/${name}`)) ?? null;
}
