/** The files that a request leaves behind. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { TestService } from './service.ts';

/** Asserts how many uploads `run` adds to the storage and to the folder of temporary files. */
export async function assertFilesAdded(
  { parts: { lifecycle } }: TestService,
  count: number,
  run: () => Promise<unknown>,
): Promise<void> {
  const listFiles = async () => {
    const stored = await Array.fromAsync(lifecycle.storage.list(''), ({ key }) => key);
    const temporary = await readdir(lifecycle.settings.tempFolder).catch(() => []);
    // Tasks store results meanwhile.
    return [...stored, ...temporary].filter((name) => name.startsWith('upload'));
  };
  const before = new Set(await listFiles());
  await run();
  const added = (await listFiles()).filter((name) => !before.has(name));
  assert.equal(added.length, count, added.join(', '));
}
