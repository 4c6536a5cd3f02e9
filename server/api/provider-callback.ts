/**
 * `POST /callbacks/:reference`: a provider says that something changed. Only a hint: the reference
 * is unguessable, the body is not believed, and the truth is read from the provider by the next
 * poll.
 */
import { hurry } from '../queue/queue.ts';
import { findAttemptByReference } from '../tasks/attempts.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function postProviderCallback(
  { lifecycle }: Service,
  { params }: Asked,
): Promise<Answer> {
  const attempt = await findAttemptByReference(lifecycle.db, params.reference!);
  if (attempt && attempt.outcome === null) await hurry(lifecycle.db, attempt.taskId);
  // Known or not, over or not: the answer is the same, and nobody learns anything from it.
  return { status: 204 };
}
