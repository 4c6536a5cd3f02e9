/** What a failed webhook says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastResponseText, webhookErrorText } from './webhook-error-text.ts';

test('says what happened, with host and port', () => {
  const text = (error: string, url = 'https://hooks.example.com/$&') =>
    webhookErrorText(error, url);
  assert.equal(text('connect'), 'could not connect to hooks.example.com:443');
  assert.equal(text('connect', 'http://127.0.0.1:9/'), 'could not connect to 127.0.0.1:9');
  assert.equal(text('timeout'), 'hooks.example.com:443 did not respond within 15 seconds');
  assert.equal(text('new_code'), 'failed: new_code');
});

test('the list says what happened to the newest attempt', () => {
  const text = (answer_status: number | null, error: string | null) =>
    lastResponseText({
      url: 'http://127.0.0.1:9/',
      attempts: [{ answer_status, error, duration_ms: 1200 }],
    });
  assert.equal(text(null, 'connect'), 'Could not connect to 127.0.0.1:9');
  assert.equal(text(500, null), 'HTTP 500 in 1,200 ms');
  assert.equal(lastResponseText({ url: 'http://127.0.0.1:9/', attempts: [] }), '–');
});
