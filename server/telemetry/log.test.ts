/** What the log contains and what it hides: secrets by name, by form and by value. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, redact, redactKnown, registerSecret, terminalLine } from './log.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLog('trace', { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

test('hides a field named like a secret at any depth', () => {
  const [line] = logged((log) =>
    log.info(
      { token: 'abc', at: { key: 'def', deep: { password: 'ghi' } }, taskId: 'task_1' },
      'x',
    ),
  );
  assert.deepEqual(
    [line!.token, line!.at, line!.taskId],
    ['[hidden]', { key: '[hidden]', deep: { password: '[hidden]' } }, 'task_1'],
  );
});

test('logs an error’s message, stack and constraint, and no database row', () => {
  const error = Object.assign(new Error('duplicate key'), {
    code: '23505',
    constraint: 'accounts_pkey',
    detail: 'Failing row contains (whsec of someone)',
    params: ['a token'],
    where: 'a prompt',
  });
  const [line] = logged((log) => log.error({ error }, 'failed'));
  const { stack, ...fields } = line!.error as Record<string, unknown>;
  assert.match(String(stack), /log\.test\.ts/);
  assert.deepEqual(fields, {
    type: 'Error',
    message: 'duplicate key',
    code: '23505',
    constraint: 'accounts_pkey',
  });
});

test('a failure that repeats is one line a second, with a count', async () => {
  const lines: Record<string, unknown>[] = [];
  const { promise: counted, resolve } = Promise.withResolvers<void>();
  const log = createLog('info', {
    write(line) {
      const fields = JSON.parse(line);
      lines.push(fields);
      if (fields.repeated) resolve();
    },
  });
  for (let id = 1; id <= 5; id++) log.error({ error: new Error('no disk'), id }, 'request failed');
  log.error({ error: new Error('no memory') }, 'request failed');
  log.warn({ taskId: 'task_1' }, 'request failed');
  log.warn({ taskId: 'task_1' }, 'request failed');
  await counted;
  assert.deepEqual(
    lines.map(({ id, taskId, repeated }) => [id ?? taskId, repeated]),
    [[1, undefined], [undefined, undefined], ...Array(2).fill(['task_1', undefined]), [5, 4]],
  );
});

const forms: readonly [said: string, shown: string][] = [
  [`key vg_live_${'a1'.repeat(24)}x is wrong`, 'key vg_live_[hidden] is wrong'],
  [`vg_test_${'Z'.repeat(49)}`, 'vg_test_[hidden]'],
  [`vg_admin_${'a-_'.repeat(14)}`, 'vg_admin_[hidden]'],
  ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', 'whsec_[hidden]'],
  ['Invalid API Key: sk_live_0123456789abcdef', 'Invalid API Key: sk_live_[hidden]'],
  ['postgres://vidgen:pass@db:5432/vidgen', 'postgres://[hidden]@db:5432/vidgen'],
  ['https://u:p@files.example.com/a.png', 'https://[hidden]@files.example.com/a.png'],
  [
    'got https://b.s3.example.com/a.mp4?X-Amz-Signature=123&X-Amz-Expires=60, then 404',
    'got https://b.s3.example.com/a.mp4?[hidden] then 404',
  ],
  ['at https://example.com/a?: nothing', 'at https://example.com/a?[hidden] nothing'],
  ['task_01k9zq0c8vf5tbn3x6y7m2r4aw, 3 of 4?', 'task_01k9zq0c8vf5tbn3x6y7m2r4aw, 3 of 4?'],
];

for (const [input, shown] of forms) {
  test(`hides text in the form of a secret: ${shown}`, () => {
    assert.equal(redact(input), shown);
    const [line] = logged((log) => log.warn({ detail: input, list: [input] }, input));
    assert.deepEqual([line!.detail, line!.list, line!.msg], [shown, [shown], shown]);
  });
}

test('hides a registered secret in every encoding', () => {
  const value = 'pa/ss "word" with+plus & ünusual';
  registerSecret(value);
  const written = [
    value,
    JSON.stringify(value),
    JSON.stringify(value).replaceAll('/', '\\/'),
    encodeURIComponent(value),
    Buffer.from(value).toString('hex'),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('base64url'),
    Buffer.from(`${value} and more`).toString('base64'),
  ];
  for (const text of written) {
    const shown = redactKnown(`before ${text} after`);
    assert.match(shown, /^before "?\[hidden\].{0,16} after$/);
    const [line] = logged((log) => log.error({ error: new Error(text) }, text));
    assert(!JSON.stringify(line).includes(text.slice(0, 12)), text);
  }
  assert.equal(redactKnown('https://example.com/?a=b'), 'https://example.com/?a=b');
});

test('does not hide values too short to be secrets', () => {
  registerSecret('task');
  registerSecret(null);
  assert.equal(redactKnown('the task'), 'the task');
});

test('a line for a terminal has the time, level, message and fields, and the stack below', () => {
  const line = { level: 'info', time: '2026-11-16T20:33:42.072Z', role: 'all', msg: 'serving' };
  assert.equal(terminalLine(JSON.stringify(line)), '20:33:42 info  serving  role=all\n');
  const error = { message: 'no disk', stack: 'Error: no disk\n    at main' };
  const failed = terminalLine(JSON.stringify({ ...line, level: 'error', error }));
  assert.match(failed, /serving {2}role=all\n {2}Error: no disk\n {6}at main\n$/);
  assert.equal(terminalLine('no JSON\n'), 'no JSON\n');
  const hostile = { detail: 'a\u001b]0;b\u0007\n20:33:43 c\u009b2J\u202e' };
  const escaped = 'a\\u001b]0;b\\u0007\\u000a20:33:43 c\\u009b2J\\u202e';
  const text = `20:33:42 info  serving  role=all  detail=${escaped}\n`;
  assert.equal(terminalLine(JSON.stringify({ ...line, ...hostile })), text);
});
