/** Exports the people who match the filters as a file. */
import { ExportPeopleQuery, ListedPerson } from '@vidgen/contract/people.ts';
import { exportList } from '../admin/export-list.ts';
import { isoTimestamp } from '../admin/export-response.ts';
import type { CsvColumn } from '../http/csv.ts';
import { listPersonViews, personFilterOf } from './person-list.ts';

const columns: readonly CsvColumn<ListedPerson>[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['email', ({ email }) => email],
  ['administrator', ({ administrator }) => String(administrator)],
  ['accounts', ({ accounts }) => accounts.map(({ name, role }) => `${name} (${role})`).join(', ')],
  ['created_at', ({ created_at }) => isoTimestamp(created_at)],
  ['last_seen_at', ({ last_seen_at }) => isoTimestamp(last_seen_at)],
  ['closed_at', ({ closed_at }) => isoTimestamp(closed_at)],
];

export const exportPeople = exportList({
  operationId: 'exportPeople',
  path: '/admin/people/export',
  summary: 'Export people',
  query: ExportPeopleQuery,
  row: ListedPerson,
  columns,
  contentName: 'people',
  filterOf: personFilterOf,
  list: listPersonViews,
});
