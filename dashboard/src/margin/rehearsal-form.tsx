/** What other prices or another provider would have made of the last 30 days. Changes nothing. */
import { Alert, Group, NumberInput, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type {
  MarginResponse,
  RehearsalRequest,
  RehearsalResponse,
  RehearsalRow,
} from '@vidgen/contract/margin.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { resource } from '../api/query-client.ts';
import { Form } from '../components/form.tsx';
import { formatNumber } from '../components/format.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { Note, SmallNote } from '../components/texts.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { useAsyncAction } from '../components/use-async-action.ts';
import { modelsQuery } from '../playground/playground-queries.ts';
import { providersQuery } from '../providers/provider-queries.ts';
import { formatMoney } from './money.ts';

const accountsMax = 100;
/** Of the table; the response has more. */
const rowsMax = 20;

type Chosen = {
  readonly account: string | null;
  readonly percent: number | string;
  readonly model: string | null;
  readonly resolution: string | null;
  readonly perSecond: number | string;
  readonly provider: string | null;
};
const nothing: Chosen = {
  ...{ account: null, percent: '', model: null },
  ...{ resolution: null, perSecond: '', provider: null },
};

const requestOf = (chosen: Chosen): RehearsalRequest => {
  const { account, percent, model, resolution, perSecond, provider } = chosen;
  return {
    ...(account === null ? {} : { account_id: account }),
    ...(percent === '' ? {} : { percent: Number(percent) }),
    ...(model === null || resolution === null || perSecond === ''
      ? {}
      : { prices: { [model]: { [resolution]: { perSecond: Number(perSecond) } } } }),
    ...(model === null || provider === null ? {} : { providers: { [model]: provider } }),
  };
};

export function RehearsalForm(): ReactNode {
  const [chosen, setChosen] = useState(nothing);
  const [result, setResult] = useState<RehearsalResponse | null>(null);
  const { data: models } = useQuery(modelsQuery);
  const { data: providers } = useQuery(providersQuery);
  const accounts = useQuery(
    resource<MarginResponse>('/admin/margin', { by: 'account', limit: accountsMax }),
  ).data?.items;
  const set = (change: Partial<Chosen>) => {
    setChosen({ ...chosen, ...change });
    setResult(null);
  };
  const request = requestOf(chosen);
  const rehearse = useAsyncAction(async () => {
    setResult(await post<RehearsalResponse>('/admin/margin/rehearsal', request));
  });
  const model = models?.items.find(({ id }) => id === chosen.model);
  const number = (value: number | string) => ({ value, min: 0, allowNegative: false, flex: 1 });
  const select = { clearable: true, searchable: true, flex: 1, miw: 150 } as const;
  return (
    <Form
      submit={rehearse}
      action="Rehearse"
      errorTitle="Couldn’t rehearse the prices"
      isDisabled={Object.keys(request).every((field) => field === 'account_id')}
    >
      <Note>
        Calculates the last 30 days again. Customers are taken to order the same; demand may change
        with prices. Nothing is changed.
      </Note>
      <Group gap="sm" align="flex-end">
        <Select
          {...select}
          label="Customer"
          placeholder="All customers"
          data={(accounts ?? []).map(({ key, name }) => ({ value: key, label: name }))}
          value={chosen.account}
          onChange={(account) => set({ account })}
        />
        <NumberInput
          {...number(chosen.percent)}
          label="Percent of list prices"
          placeholder="As today"
          max={999}
          decimalScale={2}
          suffix=" %"
          onChange={(percent) => set({ percent })}
        />
      </Group>
      <Group gap="sm" align="flex-end">
        <Select
          {...select}
          label="Model"
          placeholder="Choose one"
          data={(models?.items ?? []).map(({ id }) => id)}
          value={chosen.model}
          onChange={(name) => set({ model: name, resolution: null })}
        />
        <Select
          {...select}
          label="Provider"
          placeholder="As today"
          data={(providers?.items ?? []).map(({ name }) => name)}
          value={chosen.provider}
          onChange={(provider) => set({ provider })}
          disabled={chosen.model === null}
        />
      </Group>
      <Group gap="sm" align="flex-end">
        <Select
          {...select}
          label="Resolution"
          placeholder="Choose one"
          data={(model?.prices ?? []).map(({ resolution }) => resolution)}
          value={chosen.resolution}
          onChange={(resolution) => set({ resolution })}
          disabled={chosen.model === null}
        />
        <NumberInput
          {...number(chosen.perSecond)}
          label="Credits per second"
          placeholder="As today"
          decimalScale={4}
          onChange={(perSecond) => set({ perSecond })}
          disabled={chosen.resolution === null}
        />
      </Group>
      {result ? <Result result={result} /> : null}
    </Form>
  );
}

function Result({ result }: { readonly result: RehearsalResponse }): ReactNode {
  const { total, items, currency, since, tasks } = result;
  if (since === null) return <Alert>No live tasks in the last 30 days.</Alert>;
  const cells = ({ now, rehearsed, ...refused }: Omit<RehearsalRow, 'account_id' | 'name'>) => [
    ...(['revenue', 'cost', 'margin'] as const).map(
      (figure) =>
        `${formatMoney(now[figure], currency)} → ${formatMoney(rehearsed[figure], currency)}`,
    ),
    formatNumber(refused.refused_balance + refused.refused_cap),
  ];
  const unknown = [total.now, total.rehearsed].map((one) => formatNumber(one.cost_unknown));
  const unknownCosts = unknown.join(' → ');
  return (
    <Stack gap="xs">
      <PlainTable
        label="Now and rehearsed"
        minWidth={620}
        columns={[
          { title: 'Customer' },
          ...['Revenue', 'Cost', 'Margin', 'Refused'].map(
            (title) => ({ title, isNumeric: true }) as const,
          ),
        ]}
        rows={[
          { id: 'total', cells: ['All customers', ...cells(total)] },
          ...items
            .slice(0, rowsMax)
            .map((row) => ({ id: row.account_id, cells: [row.name, ...cells(row)] })),
        ]}
      />
      <SmallNote>
        Tasks: {formatNumber(tasks)}, since <Timestamp at={since} />. Refused: videos that the
        balance of that time or today’s cap of the key would not have paid. Unknown costs:{' '}
        {unknownCosts}.
      </SmallNote>
    </Stack>
  );
}
