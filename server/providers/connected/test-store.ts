/**
 * Test videos at a provider, one at a time for each: of administrators, and canaries, of which a
 * model has one a day.
 */
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { sanitizeText } from '../../database/sanitize-text.ts';

export type ProviderTest = {
  readonly id: string;
  readonly provider: string;
  readonly credential: string | null;
  readonly reference: string;
  readonly generation: Generation;
  readonly operation: string | null;
  readonly state: 'running' | 'completed' | 'failed';
  readonly progress: number | null;
  readonly detail: string | null;
  readonly videoUrl: string | null;
  /** The day of a canary, such as 2026-01-31; null of a test that a person started. */
  readonly canaryDay: string | null;
  readonly createdAt: Date;
  /** From its start until its end, or until it was read. */
  readonly seconds: number;
};

const columns = `id, provider, credential, reference, generation, operation, state, progress,
  detail, video_url as "videoUrl", created_at as "createdAt",
  to_char(canary_day, 'YYYY-MM-DD') as "canaryDay",
  extract(epoch from coalesce(ended_at, now()) - created_at)::float8 as "seconds"`;

/** A test that takes longer has failed. */
export const testSecondsMax = 1800;
/** A start that was not recorded by then belongs to a process that died. */
const startSecondsMax = 120;
/** Bills of the last months name their operations. */
const keptDays = 100;

const isOlder = (seconds: number) => `created_at < now() - make_interval(secs => ${seconds})`;

/** Of a process that died, or of an administrator who does not watch it any more. */
export async function endAbandoned(db: Queryable, provider: string): Promise<void> {
  await db.query(
    `update provider_tests set state = 'failed', ended_at = now(), detail = 'It was abandoned.'
     where provider = $1 and state = 'running'
       and (${isOlder(testSecondsMax)} or operation is null and ${isOlder(startSecondsMax)})`,
    [provider],
  );
}

type NewTest = Pick<
  ProviderTest,
  'id' | 'provider' | 'credential' | 'reference' | 'generation' | 'canaryDay'
> & { readonly createdBy: string };

/**
 * Throws `invalid_request` while another test of the provider runs, and for the second canary of
 * the model on a day.
 */
export async function insertTest(tx: Transaction, test: NewTest): Promise<void> {
  await endAbandoned(tx, test.provider);
  await tx.query(`delete from provider_tests where ${isOlder(keptDays * 86_400)}`);
  const { rowCount } = await tx.query(
    `insert into provider_tests (id, provider, credential, reference, generation, created_by,
       canary_day, next_poll_at)
     values ($1, $2, $3, $4, $5::jsonb, $6, $7, now() + make_interval(secs => ${startSecondsMax}))
     on conflict do nothing`,
    [
      ...[test.id, test.provider, test.credential, test.reference],
      ...[JSON.stringify(test.generation), test.createdBy, test.canaryDay],
    ],
  );
  if (rowCount > 0) return;
  throw invalidRequest('A test of this provider is already running.');
}

export async function findTest(db: Queryable, id: string): Promise<ProviderTest> {
  const { rows } = await db.query<ProviderTest>(
    `select ${columns} from provider_tests where id = $1`,
    [id],
  );
  if (rows[0]) return rows[0];
  throw notFound('No provider test found with this ID.');
}

/** Those of the operations that are test videos. */
export async function findTestOperations(
  db: Queryable,
  provider: string,
  operations: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ operation: string }>(
    'select operation from provider_tests where provider = $1 and operation = any($2::text[])',
    [provider, operations],
  );
  return new Set(rows.map(({ operation }) => operation));
}

/** The newest canary of each model and provider; of those that were started 30 days ago at most. */
export async function findCanaries(db: Queryable): Promise<ProviderTest[]> {
  const { rows } = await db.query<ProviderTest>(
    `select distinct on (provider, generation ->> 'model') ${columns} from provider_tests
     where canary_day is not null and not ${isOlder(30 * 86_400)}
     order by provider, generation ->> 'model', canary_day desc`,
  );
  return rows;
}

/** Returns the test if it is due and no other request polls it; the caller then polls it. */
export async function claimTest(
  db: Queryable,
  id: string,
  leaseSeconds: number,
): Promise<(ProviderTest & { readonly operation: string }) | null> {
  const { rows } = await db.query<ProviderTest & { operation: string }>(
    `update provider_tests set next_poll_at = now() + make_interval(secs => $2)
     where id = $1 and state = 'running' and operation is not null and next_poll_at <= now()
     returning ${columns}`,
    [id, leaseSeconds],
  );
  return rows[0] ?? null;
}

/** Has no effect on a test that has ended. */
export async function updateTest(
  db: Queryable,
  id: string,
  change: Partial<Pick<ProviderTest, 'operation' | 'progress'>> & {
    readonly nextPollSeconds: number;
  },
): Promise<void> {
  await db.query(
    `update provider_tests set operation = coalesce($2, operation),
       progress = coalesce($3, progress), next_poll_at = now() + make_interval(secs => $4)
     where id = $1 and state = 'running'`,
    [id, change.operation ?? null, change.progress ?? null, change.nextPollSeconds],
  );
}

export async function endTest(
  db: Queryable,
  id: string,
  end:
    | { readonly state: 'completed'; readonly videoUrl: string }
    | { readonly state: 'failed'; readonly detail: string },
): Promise<void> {
  const detail = end.state === 'failed' ? sanitizeText(end.detail, { lengthMax: 2000 }) : null;
  await db.query(
    `update provider_tests set state = $2, detail = $3, video_url = $4, ended_at = now()
     where id = $1 and state = 'running'`,
    [id, end.state, detail, end.state === 'completed' ? end.videoUrl : null],
  );
}
