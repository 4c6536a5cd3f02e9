/**
 * Raises the notices of the operator's business: what was sold at a loss or at an unknown cost on
 * the last day that was added up, and models that their vendors stop making.
 */
import { microsPerUnit } from '@vidgen/contract/price.ts';
import type { Database } from '../../database/database.ts';
import { type NewNotice, raiseNotice, resolveUnseen } from '../../messages/notice.ts';
import { dayMs, nowMs } from '../../process/clock.ts';
import { readLastMarginDay } from '../../tasks/margin.ts';
import type { LifecycleContext } from '../context.ts';

/** Fewer tasks of a model at a provider say little. */
const tasksMin = 20;
const unknownShareMax = 0.05;
/** Until then, the next day was added up. */
const unseenSeconds = 2 * 86_400;
const warnDays = [1, 7, 30] as const;

type WatchDeps = Pick<LifecycleContext, 'db' | 'catalog' | 'settings'>;

export async function watchMargin(deps: WatchDeps): Promise<void> {
  const { db } = deps;
  const notices = [...(await marginNotices(deps)), ...retirementNotices(deps)];
  for (const notice of notices) await db.transaction((tx) => raiseNotice(tx, notice));
  await resolveOld(db);
}

async function resolveOld(db: Database): Promise<void> {
  for (const kind of ['negative_margin', 'cost_unknown', 'model_retires'] as const) {
    await resolveUnseen(db, { kind, afterSeconds: unseenSeconds });
  }
  await resolveUnseen(db, { kind: 'bill_differs', afterSeconds: 30 * 86_400 });
}

async function marginNotices({ db, settings }: WatchDeps): Promise<NewNotice[]> {
  const { currency, creditMicros } = settings;
  const last = await readLastMarginDay(db);
  if (!last) return [];
  const { day, rows } = last;
  const notices = rows.flatMap(
    ({ model, provider, tasks, revenueMicros, costMicros }): NewNotice[] => {
      if (creditMicros === null || tasks < tasksMin || revenueMicros >= costMicros) return [];
      const amounts = {
        revenue: revenueMicros / microsPerUnit,
        cost: costMicros / microsPerUnit,
        currency,
      };
      const detail = { model, provider, day, tasks, ...amounts };
      const subject = `${model} ${provider}`;
      return [{ kind: 'negative_margin', accountId: null, subject, detail }];
    },
  );
  const attempts = rows.reduce((sum, row) => sum + row.attempts, 0);
  const unknown = rows.reduce((sum, row) => sum + row.costUnknown, 0);
  if (unknown > attempts * unknownShareMax) {
    const detail = { day, attempts, unknown };
    notices.push({ kind: 'cost_unknown', accountId: null, subject: '', detail });
  }
  return notices;
}

/** One notice for each threshold that is reached. */
const retirementNotices = ({ catalog }: WatchDeps): NewNotice[] =>
  catalog.list().flatMap(({ name: model, retires }): NewNotice[] => {
    if (retires === null) return [];
    const days = Math.ceil((Date.parse(retires) - nowMs()) / dayMs);
    const threshold = warnDays.find((one) => days <= one);
    if (threshold === undefined || days < 0) return [];
    const detail = { model, retires, days };
    return [{ kind: 'model_retires', accountId: null, subject: `${model} ${threshold}`, detail }];
  });
