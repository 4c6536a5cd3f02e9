/**
 * The snippets accept what the service signs, and nothing else.
 * Thorough: runs the snippets in their languages.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { generateSecret, sign } from '../../../server/crypto/standard-webhooks.ts';
import { verifySnippets } from './verify-snippets.ts';

const secret = generateSecret();
const body = '{"prompt":"日本 \\u0000"}';
const now = Math.floor(Date.now() / 1000);
const headersOf = (seconds: number, secrets: readonly string[]) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(seconds),
  'webhook-signature': sign({ id: 'msg_1', timestampSeconds: seconds, body }, secrets),
});
const cases = [
  [headersOf(now, [secret]), body],
  [headersOf(now, [generateSecret(), secret]), body],
  [headersOf(now, [generateSecret()]), body],
  [headersOf(now - 600, [secret]), body],
  [headersOf(now, [secret]), `${body} `],
];
const expected = [true, true, false, false, false];

/** Runs a snippet with all cases, and returns its answers. */
const programs: Readonly<Record<string, (code: string) => string>> = {
  TypeScript: (code) => {
    const program = `${code}\nconst cases = JSON.parse(process.env.CASES!);
      console.log(JSON.stringify(cases.map(([headers, body]) => isValid(headers, body))));`;
    return run(process.execPath, ['--input-type=module-typescript', '--eval', program]);
  },
  Python: (code) => {
    const program = `${code}\nimport json\ncases = json.loads(os.environ["CASES"])
print(json.dumps([is_valid(headers, body.encode()) for headers, body in cases]))`;
    return run('python3', ['-c', program]);
  },
};

const run = (command: string, args: readonly string[]): string =>
  execFileSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, WEBHOOK_SECRET: secret, CASES: JSON.stringify(cases) },
  });

for (const { name, code } of verifySnippets) {
  const isMissing = name === 'Python' && spawnSync('python3', ['--version']).status !== 0;
  test(`${name}: accepts only what is signed with the secret, and recent`, {
    skip: isMissing,
  }, () => {
    assert.deepEqual(JSON.parse(programs[name]!(code)), expected);
  });
}
