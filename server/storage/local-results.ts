/**
 * Our own results by their signed URLs, for tasks that edit or extend the video of another one. The
 * service need not reach itself over the network for that.
 */
import type { LocalFiles } from './local-uploads.ts';
import { verifySignedUrl } from './signed-url.ts';
import type { Storage } from './storage.ts';

const urlPattern =
  /^results\/(task_\w{26})\/([\w.-]{1,50})\?expires=(\d{1,11})&signature=([\w-]{1,64})$/;

export function createLocalResults({
  storage,
  secret,
  publicUrl,
  nowSeconds,
  findKey,
}: {
  readonly storage: Storage;
  readonly secret: string;
  readonly publicUrl: () => string;
  readonly nowSeconds: () => number;
  /** Returns the storage key of a task's file; null if it has none of this name, or no longer. */
  readonly findKey: (file: { taskId: string; name: string }) => Promise<string | null>;
}): LocalFiles {
  return {
    parseUrl(url) {
      const base = `${publicUrl().replace(/\/{1,9}$/, '')}/`;
      if (!url.startsWith(base)) return null;
      const [, taskId, name, expires, signature] = urlPattern.exec(url.slice(base.length)) ?? [];
      if (!taskId || !name || !expires || !signature) return null;
      const parts = { secret, taskId, name, expires, signature, nowSeconds: nowSeconds() };
      const verdict = verifySignedUrl(parts);
      if (verdict === 'invalid_signature') return null;
      return { key: `${taskId}/${name}`, isExpired: verdict === 'expired' };
    },
    async open({ key }) {
      const [taskId = '', name = ''] = key.split('/');
      const stored = await findKey({ taskId, name });
      return stored === null ? null : await storage.open(stored);
    },
  };
}
