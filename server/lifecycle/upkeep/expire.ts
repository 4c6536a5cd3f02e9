/**
 * Deletes the files of an expired result. Responses leave the result out from its expiry on,
 * whether or not the files are deleted yet.
 */
import { crashPoint } from '../../process/crash-point.ts';
import type { Job } from '../../queue/job.ts';
import { finish } from '../../queue/outcome.ts';
import { markResultDeleted } from '../../tasks/store.ts';
import type { LifecycleContext } from '../context.ts';

export async function expire({ db, storage }: LifecycleContext, job: Job): Promise<void> {
  const keys = await Array.fromAsync(storage.list(`${job.taskId}/`), ({ key }) => key);
  await storage.remove(keys);
  crashPoint('expire.removed');
  await db.transaction(async (tx) => {
    await markResultDeleted(tx, job.taskId);
    await finish(tx, job);
  });
  crashPoint('expire.after-commit');
}
