/** A long export judges the right of its reader again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { readPages } from './list-response.ts';

test('an export ends when its reader loses the right, before the next page is read', async () => {
  let pagesRead = 0;
  let rightChecks = 0;
  const pages = readPages<number>(
    async () => {
      pagesRead += 1;
      return { items: [pagesRead], nextCursor: 'more' };
    },
    {
      reauthorize: async () => {
        rightChecks += 1;
        if (rightChecks === 2) throw new ApiError('not_found', 'There is no account.');
      },
    },
  );
  await pages.next();
  assert.deepEqual([pagesRead, rightChecks], [1, 0]);
  await pages.next();
  await assert.rejects(pages.next(), ApiError);
  assert.deepEqual([pagesRead, rightChecks], [2, 2]);
});
