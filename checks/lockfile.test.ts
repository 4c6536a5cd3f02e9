import { testCheck } from './check-fixtures.ts';
import { lockfileProblems } from './lockfile.ts';

const integrity = 'sha512-x';
const lock = (packages: object) => ({ 'package-lock.json': JSON.stringify({ packages }) });

testCheck('lockfile', lockfileProblems, [
  {
    rule: 'the binaries of every platform are locked',
    files: lock({
      '': { optionalDependencies: { fast: '1.0.0' } },
      'node_modules/fast': { integrity, optionalDependencies: { linux: '1.0.0', darwin: '1.0.0' } },
      'node_modules/linux': { integrity },
      'node_modules/slow': { integrity, optionalDependencies: { nested: '1.0.0', linux: '1.0.0' } },
      'node_modules/slow/node_modules/nested': { integrity },
      preview: { optionalDependencies: { linux: '1.0.0', gone: '1.0.0' } },
    }),
    problems: ['darwin is missing: choose a version of node_modules/fast', 'gone is missing'],
  },
  {
    rule: 'no registry is named',
    files: lock({
      'node_modules/a': { integrity, resolved: 'https://registry.example/a.tgz' },
      'node_modules/@vidgen/contract': { resolved: 'contract', link: true },
    }),
    problems: ['node_modules/a names a registry'],
  },
  {
    rule: 'every package has its checksum',
    files: lock({ 'node_modules/a': {}, contract: {} }),
    problems: ['node_modules/a has no checksum'],
  },
  {
    rule: 'versions are exact',
    files: {
      'package.json': '{ "devDependencies": { "a": "^1.0.0", "b": "1.0.0", "c": "2.0.0-beta.1" } }',
      'server/package.json': '{ "dependencies": { "d": "latest" } }',
    },
    problems: ['package.json:1: a ^1.0.0 can change', 'server/package.json:1: d latest can change'],
  },
]);
