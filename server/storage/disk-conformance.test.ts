/** The disk keeps what every store guarantees. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { describeStorage } from '../../proof/kit/storage-conformance.ts';
import { openDiskStorage } from './disk.ts';

const home = await mkdtemp(join(tmpdir(), 'vidgen-disk-'));
after(() => rm(home, { recursive: true, force: true }));
let folder = '';
let opened = 0;

describeStorage('the disk', {
  async open() {
    folder = join(home, `results-${++opened}`);
    return await openDiskStorage(folder);
  },
  async leftovers() {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
      .sort();
  },
  async interruptPut() {
    await writeFile(join(folder, '.incoming', 'abandoned'), 'half');
  },
  partBytes: 64 * 1024,
  failing: {},
});
