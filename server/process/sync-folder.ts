/** Makes the names in a folder survive a power cut; the files themselves are synced separately. */
import { closeSync, fsyncSync, openSync } from 'node:fs';

export function syncFolder(folder: string): void {
  // Windows cannot open a folder, and writes its names by itself.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
