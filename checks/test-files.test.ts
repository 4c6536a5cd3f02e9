import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testFiles } from './test-files.ts';

const tree = new Map(
  Object.entries({
    'proof/kit/scratch-database.ts': "import './postgres.ts';",
    'proof/kit/service.ts': "import './scratch-database.ts';",
    'proof/kit/journey.ts': "import './service.ts';",
    'proof/kit/postgres.ts': '',
    'server/queue/queue.ts': '',
    'server/queue/queue.test.ts':
      "import '../../proof/kit/scratch-database.ts';\nimport './queue.ts';",
    'proof/journeys/completed.test.ts': "import { story } from '../kit/journey.ts';",
    'proof/journeys/page.test.ts':
      "/**\n * A page.\n *\n * One engine: nobody asks it.\n */\nimport '../kit/journey.ts';",
    'server/home-lock.test.ts': "// One engine: none, in fact.\nimport './home-lock.ts';",
    'server/home-lock.ts': '',
  }),
);

test('files that open a database run on both engines, unless they say why one is enough', () => {
  assert.deepEqual(testFiles(tree), {
    once: ['server/home-lock.test.ts'],
    onBothEngines: ['server/queue/queue.test.ts', 'proof/journeys/completed.test.ts'],
    onOneEngine: ['proof/journeys/page.test.ts'],
    needPostgres: true,
    needBrowser: false,
  });
});

test('words choose files by their path, and no server is started for nothing', () => {
  assert.deepEqual(testFiles(tree, ['home']), {
    once: ['server/home-lock.test.ts'],
    onBothEngines: [],
    onOneEngine: [],
    needPostgres: false,
    needBrowser: false,
  });
  assert.equal(testFiles(tree, ['proof/journeys/', 'home']).onBothEngines.length, 1);
  assert.equal(testFiles(tree, ['page']).needPostgres, true);
  assert.deepEqual(testFiles(tree, ['nothing']).once, []);
});

test('a browser is wanted by files that drive one', () => {
  const driven = new Map([...tree, ['b.test.ts', "import './proof/kit/browser.ts';"]]);
  driven.set('proof/kit/browser.ts', '');
  assert.equal(testFiles(driven, ['b.test']).needBrowser, true);
});

test('the server itself is wanted by files that start it by hand', () => {
  const byHand = new Map([...tree, ['a.test.ts', "import './proof/kit/postgres.ts';"]]);
  const { once, needPostgres } = testFiles(byHand, ['a.test']);
  assert.deepEqual([once, needPostgres], [['a.test.ts'], true]);
});
