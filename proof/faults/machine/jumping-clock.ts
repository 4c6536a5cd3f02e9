/**
 * A wall clock that jumps when it is told to, for one process: libfaketime reads the offset from a
 * file at every look. Waiting and measuring go by the monotonic clock, which stays the true one.
 */
import { existsSync, readdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type JumpingClock = {
  /** For the process that is to live by it. */
  readonly environment: Readonly<Record<string, string>>;
  /** So far from the true time, from now on. */
  set(offsetSeconds: number): Promise<void>;
};

export async function makeJumpingClock({
  folder,
  name,
}: {
  readonly folder: string;
  readonly name: string;
}): Promise<JumpingClock> {
  const file = join(folder, `clock-${name}`);
  const set = async (offsetSeconds: number) => {
    // By a rename: it is read at any moment, and half a number is another number.
    await writeFile(`${file}.next`, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}\n`);
    await rename(`${file}.next`, file);
  };
  await set(0);
  return {
    environment: {
      LD_PRELOAD: findLibrary(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_NO_CACHE: '1',
      NO_FAKE_STAT: '1',
    },
    set,
  };
}

/** Below a folder that is named after the processor. */
function findLibrary(): string {
  const paths = readdirSync('/usr/lib')
    .map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
    .filter((path) => existsSync(path));
  if (!paths[0]) throw new Error('libfaketimeMT.so.1 is not below /usr/lib');
  return paths[0];
}
