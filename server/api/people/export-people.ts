/** Exports the people who match the filters as a file. */
import { ExportPeopleQuery, ListedPerson } from '@vidgen/contract/people.ts';
import {
  exportDescription,
  exportResponse,
  isoTimestamp,
  pageRows,
  readCursorPages,
} from '../admin/export-response.ts';
import { exportLimit } from '../admin/session-limits.ts';
import type { CsvColumn } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
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

export const exportPeople = endpoint({
  operationId: 'exportPeople',
  method: 'GET',
  path: '/admin/people/export',
  summary: 'Export people',
  description: 'Exactly what the same filters list, all of it.',
  auth: 'admin',
  sessionLimit: exportLimit,
  query: ExportPeopleQuery,
  responses: { 200: exportDescription(ListedPerson) },
  async handler({ lifecycle: { db } }, request) {
    const { format, ...query } = parseQuery(ExportPeopleQuery, request.query);
    const filter = personFilterOf({ ...query, limit: pageRows });
    const pages = readCursorPages((cursor) => listPersonViews(db, { ...filter, cursor }), {
      reauthorize: () => request.reauthorize(db, { lock: false }),
    });
    return await exportResponse(pages, { format, columns, contentName: 'people' });
  },
});
