import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testFiles } from './test-files.ts';

const tree = new Map(
  Object.entries({
    'proof/kit/scratch-database.ts': "import './postgres.ts';",
    'proof/kit/service.ts': "import './scratch-database.ts';",
    'proof/kit/journey.ts': "import './service.ts';",
    'proof/kit/postgres.ts': '',
    'proof/kit/conformance.ts': '',
    'server/providers/fal.test.ts': "import '../../proof/kit/conformance.ts';",
    'proof/kit/browser.ts': '',
    'server/queue/queue.ts': '',
    'server/queue/queue.test.ts': "import '../../proof/kit/scratch-database.ts';",
    'proof/journeys/completed.test.ts': "import '../kit/journey.ts';",
    'proof/journeys/pages.test.ts':
      '/**\n * Pages.\n *\n * Thorough: repeats others.\n */\n' +
      "import '../kit/journey.ts';\nimport '../kit/browser.ts';",
    'server/process/clock.test.ts': "import './clock.ts';",
    'server/process/clock.ts': '',
    'renderer/sampled.test.ts': 'process.env.VIDGEN_TEST_THOROUGH;',
  }),
);

test('npm test runs every file that is not marked', () => {
  assert.deepEqual(testFiles(tree), {
    withoutDatabase: [
      'server/providers/fal.test.ts',
      'server/process/clock.test.ts',
      'renderer/sampled.test.ts',
    ],
    withDatabase: ['server/queue/queue.test.ts', 'proof/journeys/completed.test.ts'],
    needPostgres: true,
    needBrowser: false,
  });
});

test('the thorough run takes what npm test leaves out', () => {
  assert.deepEqual(testFiles(tree, { isThorough: true }), {
    withoutDatabase: ['server/providers/fal.test.ts', 'renderer/sampled.test.ts'],
    withDatabase: ['proof/journeys/pages.test.ts'],
    needPostgres: true,
    needBrowser: true,
  });
});

test('words choose files by their path, of either suite, and start no server in vain', () => {
  const words = (...list: string[]) => testFiles(tree, { words: list });
  assert.deepEqual(words('pages').withDatabase, ['proof/journeys/pages.test.ts']);
  assert.deepEqual(words('clock'), {
    withoutDatabase: ['server/process/clock.test.ts'],
    withDatabase: [],
    needPostgres: false,
    needBrowser: false,
  });
  assert.deepEqual(words('nothing').withDatabase, []);
});
