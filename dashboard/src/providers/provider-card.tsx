/** One provider: its state, its routes, its figures, and what can be done with it. */
import { Alert, Badge, Button, Card, Group, Stack, Text } from '@mantine/core';
import type { ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import { kindDescriptions } from '@vidgen/contract/provider-kinds.ts';
import { ActionsMenu } from '../components/actions-menu.tsx';
import { DescriptionList } from '../components/page.tsx';
import {
  formatDuration,
  formatMoney,
  formatNumber,
  formatSuccessRate,
  ModelName,
  SmallNote,
  Timestamp,
} from '../components/text.tsx';
import { providerName } from './provider-queries.ts';
import classes from './providers.module.css';

const actions = [
  ['test', 'Run test video'],
  ['edit', 'Edit connection'],
  ['routes', 'Set routes'],
  ['key', 'Replace key'],
  ['remove', 'Remove', 'red'],
] as const;
export type ProviderAction = (typeof actions)[number][0];

export function ProviderCard(props: {
  readonly provider: ProviderHealth;
  onAction(action: ProviderAction): void;
}) {
  const { provider, onAction } = props;
  const { name, source, state, last_trouble: lastError } = provider;
  const isOwn = source === 'dashboard' && state !== 'removing';
  const { color, label } = stateOf(provider);
  return (
    <Card withBorder padding="md" component="article" aria-label={name}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb="sm">
        <div style={{ minWidth: 0 }}>
          <Text component="h2" fz="md" fw={600} truncate>
            {providerName(name)}
          </Text>
          <Text fz="xs" c="dimmed" truncate title={provider.base_url ?? ''}>
            {subtitleOf(provider)}
          </Text>
        </div>
        <Group gap="xs" wrap="nowrap">
          <Badge color={color} style={{ flexShrink: 0 }}>
            {label}
          </Badge>
          {isOwn ? <ActionsMenu of={name} actions={actions} onAction={onAction} /> : null}
        </Group>
      </Group>
      <Stack gap="sm">
        <StateNotice provider={provider} onAction={onAction} />
        {/* A process of the version before sends no figures. */}
        {provider.last_30_days ? <Figures figures={provider.last_30_days} /> : null}
        <Facts provider={provider} />
        {lastError && state !== 'locked' ? (
          <Text fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            Last error <Timestamp at={lastError.at} />: {lastError.detail}
          </Text>
        ) : null}
        {source === 'file' ? (
          <SmallNote>Set in vidgen.config.ts. Change it there.</SmallNote>
        ) : null}
      </Stack>
    </Card>
  );
}

function subtitleOf({ source, kind, base_url: baseUrl }: ProviderHealth): string {
  if (source === 'built-in') return 'Built in';
  const label = kind === null ? 'Provider' : kindDescriptions[kind].label;
  return baseUrl === null ? label : `${label} · ${baseUrl}`;
}

function stateOf({ state, breaker, models, source }: ProviderHealth): {
  readonly color: string;
  readonly label: string;
} {
  if (state === 'removing') return { color: 'gray', label: 'Removing' };
  if (state === 'locked') return { color: 'red', label: 'Key needed' };
  if (breaker === 'open') return { color: 'red', label: 'Paused' };
  if (breaker === 'half-open') return { color: 'yellow', label: 'Recovering' };
  if (source === 'dashboard' && models.length === 0) return { color: 'yellow', label: 'No route' };
  return { color: 'green', label: 'Healthy' };
}

function StateNotice(props: {
  readonly provider: ProviderHealth;
  onAction(action: ProviderAction): void;
}) {
  const { provider, onAction } = props;
  const { state, breaker, models, source } = provider;
  const { open_tasks: openTasks, seconds_until_trial: untilTrial } = provider;
  if (state === 'removing') {
    const tasks = openTasks === 1 ? '1 task' : `${formatNumber(openTasks)} tasks`;
    return (
      <Text fz="sm">
        {openTasks === 0
          ? 'Removed. Its key is deleted within minutes.'
          : `Finishing ${tasks}. Its key is deleted after the last one.`}
      </Text>
    );
  }
  if (state === 'locked') {
    return (
      <Alert color="red" p="sm">
        <Text fz="sm">{provider.last_trouble?.detail}</Text>
        <Button size="xs" mt="xs" onClick={() => onAction('key')}>
          Replace key
        </Button>
      </Alert>
    );
  }
  if (breaker === 'open') {
    return (
      <Text fz="sm">
        {'Paused after repeated errors. Retrying '}
        {untilTrial === 0 ? 'soon.' : `in ${untilTrial} s.`}
      </Text>
    );
  }
  if (source === 'dashboard' && models.length === 0) {
    return (
      <Group justify="space-between" gap="xs">
        <Text fz="sm">It gets no tasks yet.</Text>
        <Button size="xs" variant="default" onClick={() => onAction('routes')}>
          Set routes
        </Button>
      </Group>
    );
  }
  return null;
}

function Figures({ figures }: { readonly figures: ProviderHealth['last_30_days'] }) {
  const { attempts, median_seconds: medianSeconds, cost_per_second: cost } = figures;
  const stats = [
    { title: 'Attempts', value: formatNumber(attempts) },
    {
      title: 'Success rate',
      value: formatSuccessRate(figures),
      hint: 'Completed of those that completed or failed. Canceled tasks are left out.',
    },
    {
      title: 'Median time',
      value: formatDuration(medianSeconds),
      hint: 'Of its newest completed tasks, from sending to the video.',
    },
    {
      title: 'Cost per second',
      value: cost === null ? '–' : formatMoney(cost.amount, cost.currency),
      hint: 'Of output, of its newest completed tasks whose cost is known.',
    },
  ];
  return (
    <div>
      <Text fz="xs" fw={500} mb={6}>
        Last 30 days
      </Text>
      <dl className={classes.figures ?? ''}>
        {stats.map(({ title, value, hint }) => (
          <div key={title} {...(hint ? { title: hint } : {})}>
            <Text component="dt" fz="xs" c="dimmed">
              {title}
            </Text>
            <Text component="dd" m={0} fz="lg" fw={600} className={classes.figure ?? ''}>
              {value}
            </Text>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Facts({ provider }: { readonly provider: ProviderHealth }) {
  const { source, models, key_last_four: lastFour } = provider;
  const { concurrency, open_tasks: openTasks } = provider;
  const limit = concurrency === null ? '' : ` of ${formatNumber(concurrency)}`;
  const isFull = concurrency !== null && openTasks >= concurrency;
  const waits = concurrency === 0 ? ' (its GPU boxes are away)' : ' (full, others wait)';
  const routed = models.length === 0 ? '–' : models.join(', ');
  const name = provider.name === 'test-preview' ? 'Test keys only' : routed;
  return (
    <DescriptionList
      items={[
        ['Models', <ModelName key="models" name={name} />],
        ...(source === 'dashboard'
          ? [['API key', lastFour === null ? 'None' : `••••${lastFour}`] as const]
          : []),
        ['Active tasks', `${formatNumber(openTasks)}${limit}${isFull ? waits : ''}`],
      ]}
    />
  );
}
