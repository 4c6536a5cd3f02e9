/** The snippet accepts what the service signs, and nothing else. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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

test('accepts only what is signed with the secret, and recent', () => {
  const cases = [
    [headersOf(now, [secret]), body],
    [headersOf(now, [generateSecret(), secret]), body],
    [headersOf(now, [generateSecret()]), body],
    [headersOf(now - 600, [secret]), body],
    [headersOf(now, [secret]), `${body} `],
  ];
  const program = `${verifySnippets[0]?.code}
    const cases = JSON.parse(process.env.CASES!);
    console.log(JSON.stringify(cases.map(([headers, body]) => isValid(headers, body))));`;
  const printed = execFileSync(
    process.execPath,
    ['--input-type=module-typescript', '--eval', program],
    { env: { ...process.env, WEBHOOK_SECRET: secret, CASES: JSON.stringify(cases) } },
  );
  assert.deepEqual(JSON.parse(String(printed)), [true, true, false, false, false]);
});
