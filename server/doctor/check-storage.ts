/** Writes, reads and deletes a file in the storage of results, as a task does. */
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Finding } from '@vidgen/contract/admin-system.ts';
import { monotonicMs } from '../process/clock.ts';
import type { Storage } from '../storage/storage.ts';
import { failure, guard, ok } from './finding.ts';

const remedy =
  'Check that the results folder or the object store exists, and that its user may write there.';

export const checkStorage = (storage: Storage): Promise<readonly Finding[]> =>
  guard('storage', remedy, () => storeOne(storage));

/** The sweep deletes what a killed check leaves: the file belongs to no task. */
async function storeOne(storage: Storage): Promise<Finding[]> {
  const name = randomUUID().replaceAll('-', '');
  const key = `doctor_${name}/1/probe.png`;
  const file = join(tmpdir(), `vidgen-doctor-${name}`);
  const content = Buffer.from(name);
  const startedMs = monotonicMs();
  try {
    await writeFile(file, content, { mode: 0o600, flag: 'wx' });
    await storage.put({ key, file, contentType: 'image/png' });
    const stored = await storage.open(key);
    const read = stored && (await buffer(stored.read()));
    if (!read?.equals(content)) {
      return [failure('storage', 'A stored file is not what was written', remedy)];
    }
  } finally {
    await rm(file, { force: true });
    await storage.remove([key]);
  }
  const gone = await storage.open(key);
  if (gone) {
    await gone.close();
    return [failure('storage', 'A file that was deleted can still be read', remedy)];
  }
  const milliseconds = (monotonicMs() - startedMs).toFixed(0);
  return [ok('storage', `A file was written, read and deleted in ${milliseconds} ms`)];
}
