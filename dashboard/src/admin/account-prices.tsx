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

/** What a number field has while a decimal is typed: `0.` is a text. */
type Typed = number | string;
type TypedRate = { readonly [Name in keyof Rate]?: Typed | undefined };
type Row = { readonly of: string; readonly rate: TypedRate };

/** `model 720p`, as one choice. */
const rowsOf = (rates: Account['prices']): Row[] =>
  Object.entries(rates ?? {}).flatMap(([model, ofModel]) =>
    Object.entries(ofModel).map(([resolution, rate]) => ({ of: `${model} ${resolution}`, rate })),
  );

function ratesOf(rows: readonly Row[]) {
  const rates: Record<string, Record<string, object>> = {};
  for (const { of, rate } of rows) {
    const [model = '', resolution = ''] = of.split(' ');
    const given = Object.entries(rate).filter(([, value]) => value !== '' && value !== undefined);
    const figures = Object.fromEntries(given.map(([name, value]) => [name, Number(value)]));
    rates[model] = { ...rates[model], [resolution]: figures };
  }
  return rows.length === 0 ? null : rates;
}

export function AccountPricesCard({ account }: { readonly account: Account }) {
  const { data: models } = useQuery(modelsQuery);
  const [percent, setPercent] = useState<Typed>(account.price_percent ?? '');
  const [rows, setRows] = useState(rowsOf(account.prices));
  const save = async () => {
    await patch(`/admin/accounts/${account.id}`, {
      price_percent: percent === '' ? null : Number(percent),
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
          onChange={setPercent}
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

function RateRow(props: { readonly row: Row; onChange(rate: TypedRate): void; onRemove(): void }) {
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
      onChange={(value) => onChange({ ...row.rate, [name]: value })}
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
