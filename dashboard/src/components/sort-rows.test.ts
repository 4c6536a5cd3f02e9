import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortRows } from './sort-rows.ts';

type Row = { readonly name: string; readonly took: number | null };
const rows: readonly Row[] = [
  { name: 'b10', took: 3 },
  { name: 'b9', took: null },
  { name: 'a', took: 1 },
  { name: 'c', took: 3 },
];
const columns = [
  { accessor: 'name', sortBy: ({ name }: Row) => name },
  { accessor: 'took', sortBy: ({ took }: Row) => took },
  { accessor: 'actions' },
];
const names = (sort: string | undefined) => sortRows(rows, columns, sort).map(({ name }) => name);

test('keeps the order of the service without a sortable column', () => {
  for (const sort of [undefined, 'actions', 'nobody', '-']) assert.equal(names(sort).length, 4);
  assert.deepEqual(names('actions'), ['b10', 'b9', 'a', 'c']);
});

test('sorts texts with numbers naturally, in both directions', () => {
  assert.deepEqual(names('name'), ['a', 'b9', 'b10', 'c']);
  assert.deepEqual(names('-name'), ['c', 'b10', 'b9', 'a']);
});

test('puts missing values last in both directions and keeps the order of equal values', () => {
  assert.deepEqual(names('took'), ['a', 'b10', 'c', 'b9']);
  assert.deepEqual(names('-took'), ['b10', 'c', 'a', 'b9']);
});
