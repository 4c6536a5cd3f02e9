/**
 * Each table belongs to one module, the only one whose SQL names it: its columns and locks can be
 * changed by reading one folder. Other modules call the owner's functions.
 */
import { lineAt, literalsOf } from './source.ts';
import { formatProblem, isTestCode, sourceFiles, type Tree } from './tree.ts';

const tablesOf: Readonly<Record<string, readonly string[]>> = {
  'server/accounts': [
    'account_activity',
    'accounts',
    'api_keys',
    'cli_logins',
    'identities',
    'key_spending',
    'links',
    'memberships',
    'audit_log',
    'people',
    'recovery_codes',
    'retention_positions',
    'second_factors',
    'sessions',
    'settings',
    'sign_in_troubles',
  ],
  'server/catalog': ['models'],
  'server/credentials': ['signing_keys'],
  'server/database': ['migrations'],
  'server/lifecycle': ['audit_checkpoints'],
  'server/ledger': ['balance_alerts', 'balances', 'ledger_days', 'ledger_entries', 'ledger_rollup'],
  'server/messages': ['notice_dismissals', 'notice_readings', 'notices', 'outbox'],
  'server/processes': ['processes'],
  'server/providers': [
    'connected_providers',
    'provider_credentials',
    'provider_routes',
    'provider_tests',
    'provider_versions',
    'worker_connections',
    'workers',
  ],
  'server/queue': ['jobs'],
  'server/rate-limits': ['account_windows', 'create_windows', 'status_rounds'],
  'server/tasks': [
    'attempts',
    'bill_rows',
    'credit_values',
    'erased_tasks',
    'idempotency_keys',
    'installation_days',
    'installation_rollup',
    'installation_times',
    'margin_days',
    'provider_days',
    'undelivered_creates',
    'task_counts',
    'task_metadata',
    'task_search',
    'task_search_position',
    'tasks',
    'usage_days',
    'usage_rollup',
  ],
  'server/top-ups': ['checkouts', 'held_returns', 'redemption_codes'],
  'server/webhooks': ['call_attempts', 'deliveries', 'delivery_counts'],
};

const owners: ReadonlyMap<string, string> = new Map(
  Object.entries(tablesOf).flatMap(([module, tables]) => tables.map((table) => [table, module])),
);

/** The database module, and the invariants, which compare tables with each other. */
const readsAllTables = /^server\/(database\/|lifecycle\/checks\/invariant(s|-walks)\.ts$)/;

const schemaPath = 'server/database/schema.sql';

const tableName = '(?:only\\s+)?"?\\w+"?(?:\\s+(?:as\\s+)?\\w+)?';
// The list is a lookahead, so that a keyword taken for an alias is still found by itself.
const tableList = new RegExp(
  '\\b(?:from|join|into|update|using|truncate(?:\\s+table)?|lock\\s+table|references)\\s+' +
    `(?=(${tableName}(?:\\s*,\\s*${tableName})*))`,
  'gi',
);

export function tableOwnerProblems(tree: Tree): string[] {
  return [...unownedTables(tree), ...foreignTables(tree)];
}

function unownedTables(tree: Tree): string[] {
  const schema = tree.get(schemaPath) ?? '';
  return [...schema.matchAll(/^create (?:unlogged )?table (\w+)/gm)]
    .filter(([, table = '']) => !owners.has(table))
    .map(({ 1: table, index }) =>
      formatProblem(
        schemaPath,
        lineAt(schema.slice(0, index)),
        `${table} has no owner: name its module in checks/table-owners.ts`,
      ),
    );
}

function foreignTables(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(([path]) => path.startsWith('server/'))
    .filter(([path]) => !isTestCode(path) && !readsAllTables.test(path))
    .flatMap(([path, text]) => {
      const sql = literalsOf(text);
      return [...sql.matchAll(tableList)].flatMap(({ 0: keyword, 1: list = '', index }) =>
        namesIn(list)
          .map(({ name, at }) => ({
            name,
            owner: owners.get(name),
            line: lineAt(sql.slice(0, index + keyword.length + at)),
          }))
          .filter(({ owner }) => owner !== undefined && !path.startsWith(`${owner}/`))
          .map(({ name, owner, line }) =>
            formatProblem(path, line, `names ${name}, which belongs to ${owner}`),
          ),
      );
    });
}

/** The table of each item in `tasks t, "jobs" as j`, without its alias. */
function namesIn(list: string): { readonly name: string; readonly at: number }[] {
  return [...list.matchAll(/(?:^|,)\s*(?:only\s+)?"?(\w+)/gi)].map(
    ({ 0: item, 1: name = '', index }) => ({
      name: name.toLowerCase(),
      at: index + item.length - name.length,
    }),
  );
}
