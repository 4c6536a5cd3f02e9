/** Exports of administrators: everything that a list with the same filters returns, as a file. */
import type { exportQuery } from '@vidgen/contract/list.ts';
import type { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import type { CsvColumn } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import type { Endpoint } from '../http/endpoint-definition.ts';
import { parseQuery } from '../http/parse-request.ts';
import { exportDescription, exportResponse, pageRows, readCursorPages } from './export-response.ts';
import { exportLimit } from './session-limits.ts';

type ExportQuery = z.ZodObject<typeof exportQuery>;

type ExportedList<Query extends ExportQuery, Filter, Row> = {
  readonly operationId: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly query: Query;
  readonly row: z.ZodType<Row>;
  readonly columns: readonly CsvColumn<Row>[];
  /** In the name of the file. */
  readonly contentName: string;
  filterOf(query: z.infer<Query> & { limit: number }): Filter;
  list(
    db: Queryable,
    filter: Filter & { readonly cursor: string | undefined },
  ): Promise<{ items: readonly Row[]; nextCursor: string | null }>;
};

export const exportList = <Query extends ExportQuery, Filter, Row>({
  query: querySchema,
  row,
  columns,
  contentName,
  filterOf,
  list,
  ...rest
}: ExportedList<Query, Filter, Row>): Endpoint =>
  endpoint({
    description: 'Returns every row that matches the filters of the list.',
    ...rest,
    method: 'GET',
    auth: 'admin',
    sessionLimit: exportLimit,
    query: querySchema,
    responses: { 200: exportDescription(row) },
    async handler({ lifecycle: { db } }, request) {
      const query = parseQuery(querySchema, request.query);
      const filter = filterOf({ ...query, limit: pageRows });
      const pages = readCursorPages((cursor) => list(db, { ...filter, cursor }), {
        reauthorize: () => request.reauthorize(db, { lock: false }),
      });
      return await exportResponse(pages, { format: query.format, columns, contentName });
    },
  });
