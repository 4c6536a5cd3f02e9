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

test('rows stay as they came where nothing, or nothing sortable, is named', () => {
  for (const sort of [undefined, 'actions', 'nobody', '-']) assert.equal(names(sort).length, 4);
  assert.deepEqual(names('actions'), ['b10', 'b9', 'a', 'c']);
});

test('words are sorted as people count, both ways', () => {
  assert.deepEqual(names('name'), ['a', 'b9', 'b10', 'c']);
  assert.deepEqual(names('-name'), ['c', 'b10', 'b9', 'a']);
});

test('what has no value comes last both ways, and equals keep their order', () => {
  assert.deepEqual(names('took'), ['a', 'b10', 'c', 'b9']);
  assert.deepEqual(names('-took'), ['b10', 'c', 'a', 'b9']);
});
