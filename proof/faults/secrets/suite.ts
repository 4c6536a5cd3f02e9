/**
 * Runs a part of the test suite with trace logs in a process of its own, and searches its output
 * for the secrets that tests use and for everything that has the form of a secret.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { testAdminToken } from '../../kit/service.ts';
import { type Canary, leaksIn, type RecordedText } from './canaries.ts';

/** Parts of the paths of the test files: whole journeys, and all that handle secrets. */
const words = [
  ...['completed', 'failed', 'webhooks', 'lost-responses', 'materials', 'no-upstream-leak'].map(
    (name) => `journeys/${name}`,
  ),
  ...['people/', 'admin/uploads', 'admin/top-ups', 'callbacks/', 'pages/health'].map(
    (name) => `server/api/${name}`,
  ),
];

/** The values that the tests use. */
const used: readonly Canary[] = [
  { name: 'VIDGEN_SECRET of the tests', value: 'a secret that only tests know, 32 long' },
  { name: 'VIDGEN_ADMIN_TOKEN of the tests', value: testAdminToken },
  { name: 'a password of the tests', value: 'a boat of folded paper' },
  { name: "a provider's key of the tests", value: 'ark-test-key' },
  { name: "Stripe's webhook secret of the tests", value: 'whsec_that_only_tests_know' },
];

const forms: Readonly<Record<string, RegExp>> = {
  'an API key': /vg_(live|test)_[0-9A-Za-z]{49}/,
  'a webhook secret': /whsec_[A-Za-z0-9+/=]{24,}/,
  'a signed URL': /[?&]signature=[\w-]{20,}/i,
  'a bearer token': /Bearer +[\w.~+/-]{16,}/,
  'a session': /(__Host-)?vidgen[\w-]*=[\w-]{43}/,
};

/** A complete run writes about three thousand lines. */
const linesMin = 1000;

const program = fileURLToPath(new URL('../../../checks/test.ts', import.meta.url));

export async function searchSuite(
  signal: AbortSignal,
): Promise<{ readonly leaks: readonly string[]; readonly note: string }> {
  const child = spawn(process.execPath, [program, ...words], {
    env: { ...process.env, VIDGEN_TEST_LOG_LEVEL: 'trace' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // The run stops its servers on this message, or when this process exits.
  signal.addEventListener('abort', () => void child.send('stop'), { once: true });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  await new Promise((resolve) => child.once('close', resolve));
  const recorded: RecordedText[] = [{ label: 'output of the test suite', text: output }];
  const logged = output.split('\n').filter((line) => line.includes('"level":')).length;
  const [, count = 'nothing'] = /\n(\d+ passed, \d+ failed.*)\n*$/.exec(output) ?? [];
  const leaks = [
    ...leaksIn(recorded, used),
    ...Object.entries(forms).flatMap(([name, form]) => {
      const found = form.exec(output);
      return found ? [`${name} is in the output of the test suite: ${found[0]}`] : [];
    }),
    // Failing tests are reported by `npm test`; here they only produce logs.
    ...(logged >= linesMin ? [] : [`the test suite logged ${logged} lines: too few to search`]),
  ];
  const lines = logged.toLocaleString('en');
  const note = `a part of the test suite (${count}) wrote ${lines} lines of log`;
  return { leaks, note };
}
