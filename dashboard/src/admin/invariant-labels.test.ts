import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rules } from '../../../server/lifecycle/checks/invariant-walks.ts';
import { invariantLabels } from './invariant-labels.ts';

test('every invariant of the service has a label', () => {
  assert.deepEqual(
    Object.keys(invariantLabels),
    rules.map(({ name }) => name),
  );
});
