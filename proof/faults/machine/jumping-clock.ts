/**
 * A wall clock for one process that can be set: libfaketime reads the offset from a file at every
 * call. Waits and measurements use the monotonic clock, which stays true.
 */
import { existsSync, readdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type JumpingClock = {
  /** For the process that uses the clock. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sets the offset from the true time. */
  set(offsetSeconds: number): Promise<void>;
};

export async function makeJumpingClock(folder: string, name: string): Promise<JumpingClock> {
  const file = join(folder, `clock-${name}`);
  const set = async (offsetSeconds: number) => {
    // Renamed, since the file is read at any time and must never be incomplete.
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

/** The library is in a folder named after the processor. */
function findLibrary(): string {
  const path = readdirSync('/usr/lib')
    .map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
    .find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error('libfaketimeMT.so.1 is not below /usr/lib');
  return path;
}
