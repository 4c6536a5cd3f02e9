/** What a response proves about a start, a read about an operation, a message about its content. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { StatusResult } from '../provider.ts';
import type { ReadResult } from './client.ts';
import { rejectedInputIn, rejectedPartIn } from './rejected-part.ts';
import { asOperation } from './response-values.ts';
import { provesNothingCreated, throttledStart } from './start-result.ts';
import { pending, toStatusResult } from './status-result.ts';
import type { UpstreamResponse } from './upstream.ts';

const response = (status: number, headers: Record<string, string> = {}): UpstreamResponse => ({
  kind: 'response',
  status,
  headers,
  json: {},
});

test('takes only redirects and client errors as proof that nothing was created', () => {
  const proofs = [301, 307, 400, 401, 402, 403, 404, 405, 413, 415, 422, 429, 431];
  const doubts = [200, 201, 408, 409, 499, 500, 501, 502, 503, 504, 529];
  for (const status of proofs) assert.ok(provesNothingCreated(status), String(status));
  for (const status of doubts) assert.ok(!provesNothingCreated(status), String(status));
});

test('waits as long as the upstream says, between one second and ten minutes', () => {
  const sent = 'Wed, 21 Oct 2026 07:27:15 GMT';
  const table: readonly (readonly [Record<string, string>, number])[] = [
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0' }, 1],
    [{ 'retry-after': '99999' }, 600],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 2],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT', date: sent }, 45],
    [{ 'retry-after': 'Wed, 21 Oct 2020 07:28:00 GMT' }, 1],
    [{ 'retry-after': 'tomorrow' }, 20],
    [{ 'retry-after': '-3' }, 20],
    [{}, 20],
  ];
  for (const [headers, retryAfterSeconds] of table) {
    const expected = { outcome: 'throttled', retryAfterSeconds, detail: 'slow', busy: true };
    assert.deepEqual(throttledStart(response(429, headers), 'slow', 20), expected);
  }
});

test('keeps an operation pending whenever it cannot be read', () => {
  const read = (result: ReadResult, signal = new AbortController().signal): StatusResult =>
    toStatusResult(result, {
      detail: ({ status }) => `HTTP ${status}`,
      isNotFound: ({ status }) => status === 404,
      signal,
      success: () => pending(),
    });
  const after = (pollAfterSeconds: number) => pending({ pollAfterSeconds });
  const alert = (message: string) => ({ ...after(15), alert: message });
  const table: readonly (readonly [ReadResult, StatusResult])[] = [
    [response(200), pending()],
    [response(404), { outcome: 'lost', detail: 'HTTP 404' }],
    [response(500), alert('HTTP 500')],
    [response(401), alert('HTTP 401')],
    [response(429), after(15)],
    [response(429, { 'retry-after': '7' }), after(15)],
    [response(429, { 'retry-after': '90' }), after(90)],
    [{ kind: 'lost', detail: 'reset' }, alert('reset')],
    [{ kind: 'unsent', detail: 'not connected' }, alert('not connected')],
    [
      { kind: 'throttled', waitSeconds: 3 },
      { ...after(3), isUnread: true },
    ],
  ];
  for (const [result, expected] of table) assert.deepEqual(read(result), expected);
  const aborted = read({ kind: 'lost', detail: 'aborted' }, AbortSignal.abort());
  assert.deepEqual(aborted, after(15), 'nothing to report');
});

test('names the rejected part only where a message is not ambiguous', () => {
  const table: readonly (readonly [message: string, part: string | undefined])[] = [
    ['Guardrail blocked the prompt: violence', 'prompt'],
    ['The reference image was flagged as sensitive', 'material'],
    ['input_reference: refused by our moderation system', 'material'],
    ['Input flagged as sensitive (E005)', 'input'],
    ['Guardrail blocked the generated video', 'output'],
    ['The safety checker flagged the output', 'output'],
    ['The input or output was flagged as sensitive', undefined],
    ['NSFW content detected. Try another prompt.', undefined],
    ['an image was flagged', undefined],
  ];
  const materials = { materials: true };
  const text = { materials: false };
  for (const [message, part] of table) assert.equal(rejectedPartIn(message, materials), part);
  assert.equal(rejectedPartIn('Input flagged as sensitive (E005)', text), 'prompt');
  assert.equal(rejectedPartIn('The output was flagged', text), 'output');
  // Nothing has been generated at a start.
  assert.equal(rejectedInputIn('Blocked by our moderation system.', text), 'prompt');
  assert.equal(rejectedInputIn('Blocked by our moderation system.', materials), 'input');
  assert.equal(rejectedInputIn('The output of the filter: the last frame', materials), 'input');
});

const inLiteLlmId = 'litellm:custom_llm_provider:openai;a?'.repeat(8);
const liteLlmId = `video_${Buffer.from(inLiteLlmId).toString('base64')}`;

test('reads any printable id of up to 1,024 characters', () => {
  for (const id of [liteLlmId, 'a/b=+c', '../x', '_', 'x'.repeat(1_024), 'ü:%2e?#&', '...']) {
    assert.equal(asOperation(id), id, id);
  }
});

test('reads no id that is empty, too long, not printable or a step in a path', () => {
  const long = ['x'.repeat(1_025), '視'.repeat(700)];
  for (const id of ['', '.', '..', ...long, 'a b', 'a\n', 'a\u200b', '\ud800', 7, {}]) {
    assert.equal(asOperation(id), undefined, JSON.stringify(id));
  }
});

test('keeps every id that is read within one part of a path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const id = asOperation(text);
      if (id === undefined) return;
      const { pathname } = new URL(`http://a.test/v1/videos/${encodeURIComponent(id)}`);
      assert.equal(decodeURIComponent(pathname.slice('/v1/videos/'.length)), id);
      assert.equal(pathname.split('/').length, 4);
    }),
  );
});
