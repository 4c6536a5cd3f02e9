/** Which settings of a declared provider are accepted, and what the messages of the others say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemsOf } from '@vidgen/contract/problem.ts';
import { z } from 'zod';
import { declaredLumen } from '../../../proof/kit/declared/fixture.ts';
import { ProviderSettings } from '../kinds.ts';

const { start, status, errors } = declaredLumen;
const { video: _, ...statusWithoutVideo } = status;
const { idempotencyKeyHeader: __, ...plainStart } = start;
const referenced = { ...plainStart, body: { ...start.body, ref: '{{reference}}' } };
const find = { path: '/by/{{reference}}', reference: 'ref', operation: 'id' };
const called = { ...start, query: { hook: '{{callback_url}}' } };
const file = { id: 'file', path: '/files/{{file}}', video: 'url' };

const File = z.strictObject({ provider: ProviderSettings });
const problems = (change: object): string[] =>
  problemsOf(File, { provider: { ...declaredLumen, ...change } }).map(({ message }) => message);

test('accepts every option', () => {
  const table: readonly object[] = [
    { headers: { 'x-version': '2024-11-06' } },
    { start: { ...start, path: { 'text-to-video': '/{{model}}/text' } } },
    { start: called, callbacks: { operation: 'id', httpsOnly: true } },
    { start: called, callbacks: {}, webhookSecret: { env: 'HOOK_SECRET' } },
    { start: called, callbacks: { signature: 'standard-webhooks-hex' } },
    { start: referenced, find: { ...find, absent: ['404', 'no_task'], settleSeconds: 60 } },
    { start: referenced, find: { ...find, path: '/newest', list: 'items' } },
    { status: { ...status, method: 'POST', path: '/q', body: { id: '{{operation}}' } } },
    { status: { ...status, absentState: 'running' } },
    { status: { ...statusWithoutVideo, videoBase64: 'file.data' } },
    { status: { ...statusWithoutVideo, file } },
    { errors: { ...errors, status: { code: ['a.code', 'code'] }, ends: ['*moderat*'] } },
    { ratios: { '16:9': 'wide', adaptive: null }, sound: { off: false } },
    { followsFirstFrame: true, materials: 'data-url' },
  ];
  for (const change of table) assert.deepEqual(problems(change), [], JSON.stringify(change));
});

test('names the setting that is wrong, the rule and what to do', () => {
  const typed = { 'text-to-video': '/t/{{operation}}' };
  const table: readonly (readonly [change: object, message: RegExp])[] = [
    [{ headers: { 'x-version': 'a\nb' } }, /headers\.x-version must be printable ASCII/],
    [{ start: { ...start, path: { 'text-to-audio': '/t' } } }, /start\.path/],
    [
      { start: { ...start, query: { q: '{{prompt}}' } } },
      /start\.query\.q may contain no placeholder other than \{\{callback_url\}\}/,
    ],
    [
      { status: { ...status, path: typed }, cancel: undefined },
      /status\.path lacks image-to-video/,
    ],
    [
      { status: { ...status, path: '/{{model}}/{{operation}}' } },
      /cancel needs a status path without \{\{model\}\} and for all types: remove it/,
    ],
    [
      { status: { ...status, body: { id: '{{operation}}' } } },
      /status\.body cannot be sent with GET: set status\.method to POST/,
    ],
    [
      { status: { ...status, method: 'POST', body: { id: '{{prompt}}' } } },
      /status\.body may contain no placeholder other than \{\{operation\}\}, \{\{model\}\}/,
    ],
    [{ status: { ...status, path: '/q' } }, /status\.path must contain .*or status\.body must/],
    [{ status: { ...status, absentState: 'failed' } }, /status\.absentState must be one of/],
    [{ status: { ...status, file } }, /status\.video requires one of video, videoPath/],
    [
      { status: { ...statusWithoutVideo, file: { ...file, path: '/files' } } },
      /status\.file\.path must contain \{\{file\}\}/,
    ],
    [{ errors: { ends: [] } }, /errors\.ends must contain at least 1/],
    [{ errors: { status: { code: '$.x' } } }, /errors\.status\.code must be a path/],
    [
      { start: { ...start, body: referenced.body }, find },
      /find is not used with start\.idempotencyKeyHeader: remove one of them/,
    ],
    [{ start: plainStart, find }, /find finds nothing: put \{\{reference\}\} or/],
    [
      { start: referenced, find: { ...find, path: '/newest' } },
      /find\.path must contain \{\{reference\}\}, or set find\.list/,
    ],
    [
      { start: referenced, find: { ...find, list: 'items', absent: ['404'] } },
      /find\.absent cannot be proved by a list, which may be incomplete: remove it/,
    ],
    [{ callbacks: { operation: 'id' } }, /callbacks is unused: put \{\{callback_url\}\} into/],
    [{ webhookSecret: { env: 'SECRET' } }, /webhookSecret is unused: put \{\{callback_url\}\}/],
    [{ materials: 'file' }, /materials must be one of url, base64, data-url/],
    [{ sound: { on: {} } }, /sound\.on/],
    [{ ratios: { '16:9': '' } }, /ratios\["16:9"\] must not be empty/],
  ];
  for (const [change, message] of table) {
    const [first = '', ...others] = problems(change);
    assert.match(first, message);
    assert.deepEqual(others, [], JSON.stringify(change));
  }
});

test('requires no ratio in the body when the upstream has no field for it', () => {
  const { shape: _, ...body } = start.body;
  const change = { start: { ...start, body } };
  assert.match(problems(change)[0]!, /start\.body lacks \{\{resolution\}\} and/);
  assert.deepEqual(problems({ ...change, ratios: { '16:9': null, adaptive: null } }), []);
  assert.match(problems({ ...change, ratios: { '16:9': 'wide' } })[0]!, /start\.body lacks/);
  const byModel = { 'vidgen-2-5': { ratios: { '16:9': 'wide' } } };
  assert.match(problems({ ...change, ratios: { '16:9': null }, byModel })[0]!, /start\.body lacks/);
});
