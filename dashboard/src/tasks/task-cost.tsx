/** What the attempts of a task cost, and what its credits earned, in one line. */
import { Text } from '@mantine/core';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { formatMoney } from '../components/text.tsx';

const sources = { reported: 'reported', rule: 'by the rule', bill: 'billed' } as const;

export function TaskCost({ task }: { readonly task: AdminTaskDetail }) {
  const costs = task.attempts.flatMap(({ cost }) => cost ?? []);
  const [first] = costs;
  if (!first) return null;
  const { currency } = first;
  const known = costs.flatMap(({ amount }) => amount ?? []);
  const isUnknown = known.length < costs.length;
  const sum = known.reduce((total, amount) => total + amount, 0);
  const names = [...new Set(costs.flatMap(({ source }) => (source ? sources[source] : [])))];
  const cost = isUnknown
    ? known.length === 0
      ? 'unknown'
      : `at least ${formatMoney(sum, currency)}`
    : `${formatMoney(sum, currency)} (${names.join(', ')})`;
  const { revenue } = task;
  const margin = revenue === null || isUnknown ? null : revenue - sum;
  return (
    <Text fz="sm" mb="xs">
      Cost {cost}
      {revenue === null ? '' : ` · earned ${formatMoney(revenue, currency)}`}
      {margin === null ? '' : ` · margin ${formatMoney(margin, currency)}`}
    </Text>
  );
}
