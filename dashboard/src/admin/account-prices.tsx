/** The prices of one customer: a percentage of all list prices, and rates of single models. */
import { ActionIcon, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import { Cross2Icon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import type { Rate } from '@vidgen/contract/model-declaration.ts';
import { useState } from 'react';
import { invalidate, patch } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { SectionCard } from '../components/page.tsx';
import { ActionButton } from '../components/setting-card.tsx';
import { Note } from '../components/text.tsx';
import { modelsQuery } from '../playground/playground-queries.ts';

type Row = { readonly of: string; readonly rate: Rate };

/** `model 720p`, as one choice. */
const rowsOf = (rates: Account['prices']): Row[] =>
  Object.entries(rates ?? {}).flatMap(([model, ofModel]) =>
    Object.entries(ofModel).map(([resolution, rate]) => ({ of: `${model} ${resolution}`, rate })),
  );

function ratesOf(rows: readonly Row[]) {
  const rates: Record<string, Record<string, Rate>> = {};
  for (const { of, rate } of rows) {
    const [model = '', resolution = ''] = of.split(' ');
    rates[model] = { ...rates[model], [resolution]: rate };
  }
  return rows.length === 0 ? null : rates;
}

export function AccountPricesCard({ account }: { readonly account: Account }) {
  const { data: models } = useQuery(modelsQuery);
  const [percent, setPercent] = useState<number | ''>(account.price_percent ?? '');
  const [rows, setRows] = useState(rowsOf(account.prices));
  const save = async () => {
    await patch(`/admin/accounts/${account.id}`, {
      price_percent: percent === '' ? null : percent,
      prices: ratesOf(rows),
    });
    toast('Prices updated');
    await invalidate(`/admin/accounts/${account.id}`, '/admin/models');
  };
  const choices = (models?.items ?? [])
    .flatMap(({ id, prices }) => prices.map(({ resolution }) => `${id} ${resolution}`))
    .filter((one) => !rows.some(({ of }) => of === one));
  return (
    <SectionCard title="Prices">
      <Stack gap="sm">
        <Note>For this account only. The playground, estimates and GET /v1/models show them.</Note>
        <NumberInput
          label="Percent of list prices"
          placeholder="100"
          suffix=" %"
          min={0}
          max={999}
          decimalScale={2}
          allowNegative={false}
          w={200}
          value={percent}
          onChange={(value) => setPercent(typeof value === 'number' ? value : '')}
        />
        {rows.map((row) => (
          <RateRow
            key={row.of}
            row={row}
            onChange={(rate) => setRows(rows.map((one) => (one === row ? { ...one, rate } : one)))}
            onRemove={() => setRows(rows.filter((one) => one !== row))}
          />
        ))}
        <Group justify="space-between" gap="sm">
          <Select
            aria-label="Add a fixed rate"
            placeholder="Add a fixed rate"
            data={choices}
            value={null}
            searchable
            w={240}
            onChange={(of) => of && setRows([...rows, { of, rate: { perSecond: 0 } }])}
          />
          <ActionButton
            label="Save prices"
            size="sm"
            errorTitle="Couldn’t save the prices"
            run={save}
          />
        </Group>
      </Stack>
    </SectionCard>
  );
}

function RateRow(props: { readonly row: Row; onChange(rate: Rate): void; onRemove(): void }) {
  const { row, onChange, onRemove } = props;
  const field = (name: 'perSecond' | 'perTask', suffix: string) => (
    <NumberInput
      aria-label={`${row.of}: credits ${suffix}`}
      placeholder={suffix}
      suffix={` ${suffix}`}
      min={0}
      max={1_000_000}
      decimalScale={4}
      allowNegative={false}
      w={130}
      size="xs"
      value={row.rate[name] ?? ''}
      onChange={(value) =>
        onChange({ ...row.rate, [name]: typeof value === 'number' ? value : undefined })
      }
    />
  );
  return (
    <Group gap="xs" wrap="wrap">
      <Text fz="sm" flex={1} miw={150}>
        {row.of}
      </Text>
      {field('perSecond', 'per second')}
      {field('perTask', 'per video')}
      <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${row.of}`} onClick={onRemove}>
        <Cross2Icon aria-hidden />
      </ActionIcon>
    </Group>
  );
}
