/** Digests of create requests, by which a repeated request is recognized. */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Metadata } from '@vidgen/contract/metadata.ts';
import { findAccount } from '../../accounts/account.ts';
import { requestDigest } from '../../tasks/idempotency.ts';
import type { Task } from '../../tasks/task.ts';
import type { ApiServices } from '../http/handler.ts';

type DigestedRequest = {
  readonly generation: Generation;
  readonly callbackUrl: string | null;
  readonly metadata: Metadata | null;
};

/** Uploads count by their content: the same file sent again has another URL. */
export function digestOfRequest(
  uploads: ApiServices['uploads'],
  { generation, callbackUrl, metadata }: DigestedRequest,
): string {
  return requestDigest(byContent(generation, uploads), callbackUrl, metadata);
}

/** The digest of the request that created a task, if it named another URL than the account's. */
export async function digestOfTask(
  { lifecycle: { db }, uploads }: Pick<ApiServices, 'lifecycle' | 'uploads'>,
  { accountId, generation, callbackUrl, metadata }: Task,
): Promise<string> {
  const account = await findAccount(db, accountId);
  const named = callbackUrl === account?.webhookUrl ? null : callbackUrl;
  return digestOfRequest(uploads, { generation, callbackUrl: named, metadata });
}

function byContent(generation: Generation, { contentName }: ApiServices['uploads']): Generation {
  const { imageUrls, videoUrls, audioUrls } = generation;
  return {
    ...generation,
    imageUrls: imageUrls.map(contentName),
    videoUrls: videoUrls.map(contentName),
    audioUrls: audioUrls.map(contentName),
  };
}
