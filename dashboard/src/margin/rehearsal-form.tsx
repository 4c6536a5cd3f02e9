/** What other prices or another provider would have made of the last 30 days. Changes nothing. */
import {
  Alert,
  Group,
  NumberInput,
  type NumberInputProps,
  Select,
  type SelectProps,
  Stack,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type {
  MarginResponse,
  RehearsalRequest,
  RehearsalResponse,
  RehearsalRow,
} from '@vidgen/contract/margin.ts';
import { useState } from 'react';
import { post, resource } from '../api/client.ts';
import { useAsyncAction } from '../components/action.ts';
import { Form } from '../components/form.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { formatMoney, formatNumber, Note, SmallNote, Timestamp } from '../components/text.tsx';
import { modelsQuery } from '../playground/playground-queries.ts';
import { providersQuery } from '../providers/provider-queries.ts';

const accountsMax = 100;
/** Of the table; the response has more. */
const rowsMax = 20;

const nothing = {
  account: null,
  model: null,
  resolution: null,
  provider: null,
  percent: '',
  perSecond: '',
};
type Chosen = { readonly [Name in 'percent' | 'perSecond']: number | string } & {
  readonly [Name in 'account' | 'model' | 'resolution' | 'provider']: string | null;
};

const requestOf = (chosen: Chosen, rate: object): RehearsalRequest => {
  const { account, percent, model, resolution, perSecond, provider } = chosen;
  return {
    ...(account === null ? {} : { account_id: account }),
    ...(percent === '' ? {} : { percent: Number(percent) }),
    ...(model === null || resolution === null || perSecond === ''
      ? {}
      : { prices: { [model]: { [resolution]: { ...rate, perSecond: Number(perSecond) } } } }),
    ...(model === null || provider === null ? {} : { providers: { [model]: provider } }),
  };
};

export function RehearsalForm() {
  const [chosen, setChosen] = useState<Chosen>(nothing);
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
  const model = models?.items.find(({ id }) => id === chosen.model);
  // What replaces a rate replaces all of it, such as its price per video.
  const rates = model?.declaration?.resolutions as Readonly<Record<string, object>> | undefined;
  const request = requestOf(chosen, rates?.[chosen.resolution ?? ''] ?? {});
  const rehearse = useAsyncAction(async () => {
    setResult(await post<RehearsalResponse>('/admin/margin/rehearsal', request));
  });
  const select = (
    name: 'account' | 'model' | 'resolution' | 'provider',
    data: SelectProps['data'],
    props: Pick<SelectProps, 'label' | 'placeholder' | 'disabled'>,
  ) => (
    <Select
      {...props}
      clearable
      searchable
      flex={1}
      miw={150}
      data={data ?? []}
      value={chosen[name]}
      onChange={(value) => set({ ...(name === 'model' && { resolution: null }), [name]: value })}
    />
  );
  const number = (name: 'percent' | 'perSecond', props: NumberInputProps) => (
    <NumberInput
      {...props}
      placeholder="As today"
      min={0}
      allowNegative={false}
      flex={1}
      value={chosen[name]}
      onChange={(value) => set({ [name]: value })}
    />
  );
  const customers = accounts?.map(({ key, name }) => ({ value: key, label: name }));
  const names = models?.items.map(({ id }) => id);
  const providerNames = providers?.items.map(({ name }) => name);
  const resolutions = model?.prices.map(({ resolution }) => resolution);
  const disabled = chosen.model === null;
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
        {select('account', customers, { label: 'Customer', placeholder: 'All customers' })}
        {number('percent', {
          label: 'Percent of list prices',
          max: 999,
          decimalScale: 2,
          suffix: ' %',
        })}
      </Group>
      <Group gap="sm" align="flex-end">
        {select('model', names, { label: 'Model', placeholder: 'Choose one' })}
        {select('provider', providerNames, {
          label: 'Provider',
          placeholder: 'As today',
          disabled,
        })}
      </Group>
      <Group gap="sm" align="flex-end">
        {select('resolution', resolutions, {
          label: 'Resolution',
          placeholder: 'Choose one',
          disabled,
        })}
        {number('perSecond', {
          label: 'Credits per second',
          decimalScale: 4,
          disabled: chosen.resolution === null,
        })}
      </Group>
      {result ? <Result result={result} account={chosen.account} /> : null}
    </Form>
  );
}

function Result(props: { readonly result: RehearsalResponse; readonly account: string | null }) {
  const { result, account } = props;
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
        columns={['Customer', 'Revenue', 'Cost', 'Margin', 'Refused']}
        figuresFrom={1}
        rows={[
          { id: 'total', cells: ['All customers', ...cells(total)] },
          ...items
            .toSorted((a, b) => Number(b.account_id === account) - Number(a.account_id === account))
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
