/** A page with its title, and what is on it: cards with a heading, figures, names with values. */
import {
  Box,
  Card,
  Group,
  Progress,
  SimpleGrid,
  Stack,
  type StyleProp,
  Text,
  Title,
} from '@mantine/core';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import classes from './description-list.module.css';
import { CardSkeleton } from './states.tsx';
import { Credits, formatNumber, Note, SmallNote } from './text.tsx';

export function Page(props: {
  readonly title: ReactNode;
  readonly description?: ReactNode;
  /** Shown at the right. */
  readonly actions?: ReactNode;
  /** The title of the browser tab, when it differs from the title or the title is not a string. */
  readonly tabTitle?: string;
  readonly maw?: StyleProp<number>;
  readonly children?: ReactNode;
}) {
  const { title, description, actions, tabTitle, maw, children } = props;
  const name = tabTitle ?? (typeof title === 'string' ? title : undefined);
  return (
    <Stack gap="lg" {...(maw === undefined ? {} : { maw })}>
      {name === undefined ? null : <title>{`${name} · vidgen`}</title>}
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box miw={0} flex="1 1 18rem">
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {description === undefined ? null : (
            <Note mt={4} maw="44rem">
              {description}
            </Note>
          )}
        </Box>
        {actions ? <Group gap="xs">{actions}</Group> : null}
      </Group>
      {children}
    </Stack>
  );
}

export const CardTitle = ({ children }: { readonly children: string }) => (
  <Text component="h2" fz="md" fw={600}>
    {children}
  </Text>
);

export function SectionCard(props: {
  readonly title: string;
  /** Stands beside the title, such as a status. */
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { title, badge, actions, children } = props;
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" mb="xs">
        <Group gap="xs">
          <CardTitle>{title}</CardTitle>
          {badge}
        </Group>
        {actions}
      </Group>
      {children}
    </Card>
  );
}

/** Names and values in two columns, as a `dl`. */
export type DescriptionItem = readonly [name: string, value: ReactNode];

export function DescriptionList(props: { readonly items: readonly DescriptionItem[] }) {
  const { items } = props;
  return (
    <dl className={classes.list ?? ''}>
      {items.map(([name, value]) => (
        <div key={name} className={classes.item ?? ''}>
          <Text component="dt" fz="sm" c="dimmed" className={classes.name ?? ''}>
            {name}
          </Text>
          <Text component="dd" fz="sm" m={0} className={classes.value ?? ''}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}

type Stat = {
  readonly title: string;
  readonly value: ReactNode;
  /** A tooltip. */
  readonly hint?: string;
  /** Stands below the value. */
  readonly description?: ReactNode;
};

/** Figures side by side, each below its name. */
export function StatCards(props: {
  readonly stats: readonly Stat[];
  readonly cols: StyleProp<number>;
}) {
  return (
    <SimpleGrid cols={props.cols} spacing="sm" h="100%" className={classes.stats ?? ''}>
      {props.stats.map(({ title, value, hint, description }) => (
        <Card key={title} withBorder padding="sm" {...(hint ? { title: hint } : {})}>
          <SmallNote>{title}</SmallNote>
          <Text fz={22} fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
            {value}
          </Text>
          {description === undefined ? null : <SmallNote>{description}</SmallNote>}
        </Card>
      ))}
    </SimpleGrid>
  );
}

/** What an account has available, reserved and suspended; a placeholder until it is known. */
export function BalanceCards(props: { readonly balance: Account['balance']['live'] | undefined }) {
  if (!props.balance) return <CardSkeleton h={92} />;
  const { available, reserved, suspended } = props.balance;
  const stats = [
    ['Available', available, 'Ready to spend'] as const,
    ['Reserved', reserved, 'Held for tasks in progress'] as const,
    ...(suspended > 0 ? [['Suspended', suspended, 'Refunds under review'] as const] : []),
  ].map(([title, amount, description]) => ({
    title,
    value: <Credits amount={amount} />,
    description,
  }));
  return <StatCards stats={stats} cols={{ base: 2, xs: stats.length }} />;
}

/** From this share on, the bar is yellow. */
const nearlyUsed = 0.8;

/** How full a bar is, in percent, and its color if little is left. A limit of 0 is used up. */
export function meterOf({ used, limit }: { readonly used: number; readonly limit: number }) {
  const share = limit === 0 ? 1 : used / limit;
  const color = share >= 1 ? 'red' : share >= nearlyUsed ? 'yellow' : null;
  return { value: Math.min(1, share) * 100, ...(color ? { color } : {}) };
}

/** How much of a limit is used, as text and a bar. The bar is red when nothing is left. */
export function UseMeter(props: {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  readonly note?: ReactNode;
}) {
  const { label, used, limit, note } = props;
  const figures = `${formatNumber(used)} of ${formatNumber(limit)}`;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text fz="sm">{label}</Text>
        <Text fz="sm" style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
          {figures}
        </Text>
      </Group>
      <Progress size={6} aria-label={`${label}: ${figures}`} {...meterOf({ used, limit })} />
      {note ? <SmallNote>{note}</SmallNote> : null}
    </Stack>
  );
}
