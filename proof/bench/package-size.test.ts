import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { packageSizes } from './package-size.ts';

const folder = makeTemporaryFolder('package-size');
after(() => deleteFolder(folder));

test('counts locked packages that a start installs, and nested ones by themselves', () => {
  const kilobytes = {
    'node_modules/large': 400,
    'node_modules/large/node_modules/nested': 100,
    'node_modules/tool': 800,
    'node_modules/unlocked': 800,
  };
  for (const [path, size] of Object.entries(kilobytes)) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'file'), Buffer.alloc(size * 1024, 1));
  }
  const packages = {
    '': {},
    server: {},
    'node_modules/@vidgen/server': { link: true },
    'node_modules/large': {},
    'node_modules/large/node_modules/nested': {},
    'node_modules/tool': { dev: true },
    'node_modules/for-another-platform': { optional: true },
  };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  const sizes = packageSizes(folder);
  assert.deepEqual(
    sizes.map(({ path }) => path),
    ['node_modules/large', 'node_modules/large/node_modules/nested'],
  );
  const [large, nested] = sizes.map(({ bytes }) => bytes / 1024);
  assert.ok(large! >= 400 && large! < 500 && nested! >= 100 && nested! < 200);
});
