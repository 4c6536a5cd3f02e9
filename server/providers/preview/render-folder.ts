/**
 * A folder of this process for files in progress. It is deleted when the process stops, or by the
 * next process when this one crashes.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { nowMs } from '../../process/clock.ts';

/** On a disk that several machines share, another machine's process cannot be checked. */
const foreignFolderMsMax = 24 * 60 * 60 * 1000;

const machine = hostname().replaceAll(/[^a-zA-Z0-9]/g, '');

/** Creates the folder, after deleting those of dead processes. */
export async function openRenderFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (await isOrphaned(name, path)) await rm(path, { recursive: true, force: true });
  }
  const folder = join(parent, `${machine}-${process.pid}-${randomBytes(4).toString('hex')}`);
  opened.add(folder);
  await mkdir(folder);
  return folder;
}

export async function closeRenderFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  opened.delete(folder);
}

/** Of this process: in a container, successive processes have the same id. */
const opened = new Set<string>();

async function isOrphaned(name: string, path: string): Promise<boolean> {
  if (opened.has(path)) return false;
  const [, owner, id] = /^([a-zA-Z0-9]*)-(\d+)-[0-9a-f]+$/.exec(name) ?? [];
  if (id === undefined) return false; // Not a render folder.
  if (owner === machine) return Number(id) === process.pid || !isRunning(Number(id));
  const { mtimeMs } = await stat(path);
  return nowMs() - mtimeMs > foreignFolderMsMax;
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // A process of another user cannot be signaled, but it exists.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
