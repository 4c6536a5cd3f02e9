/** Accounts as JSON with their balances, and the endpoints that change one and return it. */
import { Account as AccountView, type Retention } from '@vidgen/contract/admin-accounts.ts';
import type { AuditAction } from '@vidgen/contract/admin-audit.ts';
import { type ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import type { Rate } from '@vidgen/contract/model-declaration.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { CustomerPrices } from '@vidgen/contract/price.ts';
import type { z } from 'zod';
import { type Account, getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import type { RetentionDays } from '../../accounts/retention.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { type Balance, findBalances } from '../../ledger/ledger.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { Endpoint, Examples, ParsedDefinition } from '../http/endpoint-definition.ts';
import type { ApiServices } from '../http/handler.ts';
import { accountId, createdAt } from '../http/samples.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';

export const accountSample = {
  id: accountId,
  name: 'Paper Boat Studio',
  demo: false,
  created_at: createdAt,
  suspended_at: null,
  suspension_note: null,
  closed_at: null,
  erasure_started_at: null,
  erased_at: null,
  webhook_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  webhook_url: 'https://hooks.example.com/vidgen',
  retention: { prompts_days: null, deliveries_days: null, tasks_days: null, files_days: null },
  limits: { creates_per_minute: null, running_tasks: 20 },
  price_percent: null,
  prices: null,
  balance: {
    live: { available: 960, reserved: 40, suspended: 0 },
    test: { available: 0, reserved: 0, suspended: 0 },
  },
};

export const accountResponse = (description: string, examples: Examples) =>
  jsonResponse(description, AccountView, examples);

type Handled<Body extends z.ZodObject | undefined> = ParsedDefinition<Body, undefined>['handler'];
type ChangeDefinition<Body extends z.ZodObject | undefined> = Omit<
  ParsedDefinition<Body, undefined>,
  'method' | 'handler'
> & {
  readonly method?: 'PATCH';
  change(
    tx: Transaction,
    request: Parameters<Handled<Body>>[1],
    services: ApiServices,
  ): Promise<{
    readonly row: Account;
    readonly audit?: readonly [action: AuditAction, detail?: Record<string, unknown>];
  }>;
};

/** A change of an account: one commit with its entry in the audit log; keys follow at once. */
export function accountChange<Body extends z.ZodObject | undefined = undefined>({
  change,
  ...definition
}: ChangeDefinition<Body>): Endpoint {
  const status = Number(Object.keys(definition.responses)[0]);
  return endpoint<Body>({
    method: 'POST',
    ...definition,
    async handler(services, request) {
      const { actor, isAdmin } = request;
      const changed = await request.transaction(async (tx) => {
        const { row, audit } = await change(tx, request, services);
        const [action, detail] = audit ?? [];
        if (action) {
          await recordAudit(tx, { actor, action, subject: row.id, ...(detail && { detail }) });
        }
        return row;
      });
      services.keys.invalidateAccount(changed.id);
      return {
        status,
        body: await accountWithBalances(services.lifecycle.db, changed, { isAdmin }),
      };
    },
  });
}

type ViewOptions = {
  /** True by default. */
  readonly includeSecret?: boolean;
  /** False by default: what only administrators may see is left out. */
  readonly isAdmin?: boolean;
};

export async function accountWithBalances(
  db: Queryable,
  account: Account,
  options: ViewOptions = {},
): Promise<AccountView> {
  return (await accountsWithBalances(db, [account], options))[0]!;
}

const noCredits: Balance = { available: 0, reserved: 0, spent: 0, suspended: 0 };

export async function accountsWithBalances(
  db: Queryable,
  accounts: readonly Account[],
  options: ViewOptions = {},
): Promise<AccountView[]> {
  const accountIds = accounts.map(({ id }) => id);
  const found = await findBalances(db, accountIds);
  return accounts.map((account) => {
    const balances = found.get(account.id) ?? { live: noCredits, test: noCredits };
    return accountView(account, balances, options);
  });
}

function accountView(
  account: Account,
  balances: Record<KeyMode, Balance>,
  { includeSecret = true, isAdmin = false }: ViewOptions,
): AccountView {
  return {
    id: account.id,
    name: account.name,
    demo: account.demo,
    created_at: unixSeconds(account.createdAt),
    suspended_at: unixSecondsOrNull(account.suspendedAt),
    suspension_note: isAdmin ? account.suspensionNote : null,
    closed_at: unixSecondsOrNull(account.closedAt),
    erasure_started_at: unixSecondsOrNull(account.erasureStartedAt),
    erased_at: unixSecondsOrNull(account.erasedAt),
    webhook_secret: includeSecret ? account.webhookSecret : null,
    webhook_url: account.webhookUrl,
    retention: retentionView(account.retention),
    limits: {
      creates_per_minute: account.createsPerMinuteMax,
      running_tasks: account.runningTasksMax,
    },
    ...pricesView(isAdmin ? account.prices : null),
    balance: { live: balanceView(balances.live), test: balanceView(balances.test) },
  };
}

const pricesView = (own: CustomerPrices | null) => ({
  price_percent: own?.percent ?? null,
  prices: (own?.rates ?? null) as Record<string, Record<string, Rate>> | null,
});

const balanceView = ({ available, reserved, suspended }: Balance) => ({
  available,
  reserved,
  suspended,
});

const retentionView = ({ prompts, deliveries, tasks, files }: RetentionDays): Retention => ({
  prompts_days: prompts ?? null,
  deliveries_days: deliveries ?? null,
  tasks_days: tasks ?? null,
  files_days: files ?? null,
});

export const accountClosed = (consequence: string): ApiError =>
  invalidRequest(`The account is closed; ${consequence}.`);

/** Throws `invalid_request` with the consequence, such as `keys cannot be created`. */
export async function getOpenAccount(
  db: Queryable,
  id: string,
  consequence: string,
): Promise<Account> {
  const account = await getAccount(db, id);
  if (account.closedAt) throw accountClosed(consequence);
  return account;
}
