/** Bodies and query strings of all endpoints but create. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GrantCreditsRequest } from '@vidgen/contract/admin-accounts.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { ListTasksQuery } from '@vidgen/contract/list-tasks.ts';
import { parseBody, parseQuery } from './parse-request.ts';

const isInvalidRequest = (message: string) => (error: unknown) => {
  assert(error instanceof ApiError);
  assert.equal(error.code, 'invalid_request');
  assert.equal(error.message, message);
  return true;
};

/** Without a prototype, as the router passes it. */
const query = (fields: object) => Object.assign(Object.create(null), fields);

test('returns a valid body unchanged', () => {
  const body = { amount: 5, mode: 'live', note: 'Top-up' };
  assert.deepEqual(parseBody(GrantCreditsRequest, body), body);
});

test('reports wrong types and unknown fields before broken rules', () => {
  assert.throws(
    () => parseBody(GrantCreditsRequest, { amount: '5', mode: 'x', notes: 'n' }),
    isInvalidRequest(
      'amount must be an integer (got "5"), did you mean 5?; ' +
        'notes is not a known field, did you mean note?',
    ),
  );
  assert.throws(
    () => parseBody(GrantCreditsRequest, { amount: 0, mode: 'x' }),
    isInvalidRequest(
      'amount must not be 0 (got 0); mode must be one of live, test (got "x"); ' +
        'note is required',
    ),
  );
});

test('converts query values to their types', () => {
  const read = parseQuery(ListTasksQuery, query({ created_after: '1767225600', limit: '7' }));
  assert.deepEqual(read, { created_after: new Date('2026-01-01T00:00:00Z'), limit: 7 });
});

test('takes any name for metadata', () => {
  const read = parseQuery(ListTasksQuery, query({ 'metadata[__proto__]': 'x' }));
  assert.deepEqual(Object.entries(read.metadata!), [['__proto__', 'x']]);
});

test('rejects a parameter that is given twice', () => {
  assert.throws(
    () => parseQuery(ListTasksQuery, query({ limit: ['1', '2'], status: ['failed'] })),
    isInvalidRequest('status must be given once; limit must be given once'),
  );
});
