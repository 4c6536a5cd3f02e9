/** The route of each model: its providers in order, and a dialog that changes it. */
import {
  ActionIcon,
  Alert,
  Badge,
  Button,
  Group,
  Modal,
  SegmentedControl,
  Select,
  Stack,
  Text,
} from '@mantine/core';
import { ArrowDownIcon, ArrowUpIcon, Cross2Icon } from '@radix-ui/react-icons';
import type {
  ListProvidersResponse,
  ProviderHealth,
  ProviderRoute,
} from '@vidgen/contract/admin-providers.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { toData } from '../components/filters.tsx';
import { Form } from '../components/form.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { Note, SmallNote } from '../components/texts.tsx';
import { toast } from '../components/toast.ts';
import { useAsyncAction } from '../components/use-async-action.ts';
import { refetchProviders } from './provider-queries.ts';
import classes from './providers.module.css';
import { moved, type Position, positionIn, previewName, withProvider } from './route-order.ts';

export function RoutesCard({ data }: { readonly data: ListProvidersResponse }): ReactNode {
  const [editing, setEditing] = useState<ProviderRoute | null>(null);
  return (
    <SectionCard title="Routes">
      <Note mb="xs">
        Live tasks go to the first provider. The next one is tried if it didn’t accept the task.
      </Note>
      {data.routes.map((route) => (
        <div key={route.model} className={classes.route}>
          <Text fz="sm" fw={500} className={classes.routeModel ?? ''}>
            {route.model}
          </Text>
          <div className={classes.routeProviders}>
            <RouteSteps route={route} />
          </div>
          {route.source === 'file' ? (
            <SmallNote>vidgen.config.ts</SmallNote>
          ) : (
            <Button
              size="xs"
              variant="default"
              aria-label={`Edit the route of ${route.model}`}
              onClick={() => setEditing(route)}
            >
              Edit
            </Button>
          )}
        </div>
      ))}
      <Modal
        opened={editing !== null}
        onClose={() => setEditing(null)}
        title={editing ? `Route of ${editing.model}` : ''}
      >
        {editing ? (
          <RouteEditor route={editing} data={data} onDone={() => setEditing(null)} />
        ) : null}
      </Modal>
    </SectionCard>
  );
}

function RouteSteps({ route }: { readonly route: ProviderRoute }): ReactNode {
  const { providers } = route;
  if (providers.length === 0) {
    return (
      <Text fz="sm" c="red">
        No provider: not available to live keys
      </Text>
    );
  }
  return (
    <Group gap={6}>
      {providers.map((name, at) => (
        <Group key={name} gap={6} wrap="nowrap">
          {at === 0 ? null : (
            <Text span fz="xs" c="dimmed">
              then
            </Text>
          )}
          {name === previewName ? (
            <Badge color="orange">Preview</Badge>
          ) : (
            <Badge tt="none">{name}</Badge>
          )}
        </Group>
      ))}
    </Group>
  );
}

function RouteEditor(props: {
  readonly route: ProviderRoute;
  readonly data: ListProvidersResponse;
  onDone(): void;
}): ReactNode {
  const { route, data, onDone } = props;
  const [providers, setProviders] = useState(route.source === 'default' ? [] : route.providers);
  const addable = data.items
    .filter(({ name, state, serves }) => state === 'active' && serves.includes(route.model) && name)
    .map(({ name }) => name)
    .filter((name) => name !== 'test-preview' && !providers.includes(name));
  const save = useAsyncAction(async () => {
    await post(`/admin/routes/${route.model}`, { providers });
    await refetchProviders();
    toast(`Route of ${route.model} saved`);
    onDone();
  });
  return (
    <Form submit={save} action="Save route" errorTitle="Couldn’t save the route" onCancel={onDone}>
      {providers.length === 0 ? (
        <Note>
          No provider yet. Without one, live tasks return previews if vidgen.config.ts has no
          providers; otherwise the model isn’t available to live keys.
        </Note>
      ) : null}
      <Stack gap="xs" component="ol" p={0} m={0}>
        {providers.map((name, at) => (
          <RouteRow
            key={name}
            name={name}
            isFirst={at === 0}
            isLast={at === providers.length - 1}
            onMove={(by) => setProviders(moved(providers, at, by))}
            onRemove={() => setProviders(providers.filter((other) => other !== name))}
          />
        ))}
      </Stack>
      <Select
        aria-label="Add a provider"
        placeholder={
          addable.length === 0 ? 'No other provider serves this model' : 'Add a provider'
        }
        disabled={addable.length === 0}
        data={addable}
        value={null}
        onChange={(name) => name && setProviders([...providers, name])}
      />
    </Form>
  );
}

function RouteRow(props: {
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  onMove(by: 1 | -1): void;
  onRemove(): void;
}): ReactNode {
  const { name, isFirst, isLast, onMove, onRemove } = props;
  return (
    <Group component="li" gap="xs" wrap="nowrap" style={{ listStyle: 'none' }}>
      <Text fz="sm" flex={1}>
        {name}
      </Text>
      <ActionIcon
        variant="default"
        aria-label={`Move ${name} up`}
        disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        <ArrowUpIcon aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={`Move ${name} down`}
        disabled={isLast}
        onClick={() => onMove(1)}
      >
        <ArrowDownIcon aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={`Remove ${name}`} onClick={onRemove}>
        <Cross2Icon aria-hidden />
      </ActionIcon>
    </Group>
  );
}

/** Which models a provider serves, and whether it is the first choice or a fallback. */
export function RouteChoices(props: {
  readonly provider: ProviderHealth;
  readonly routes: readonly ProviderRoute[];
  onDone(): void;
}): ReactNode {
  const { provider, routes, onDone } = props;
  const served = routes.filter(({ model }) => provider.serves.includes(model));
  const [positions, setPositions] = useState<Partial<Record<ModelName, Position>>>({});
  const positionOf = (route: ProviderRoute): Position =>
    positions[route.model] ?? (positionIn(route, provider.name) || 'first');
  const save = useAsyncAction(async () => {
    for (const route of served.filter(({ source }) => source !== 'file')) {
      const providers = withProvider(route, provider.name, positionOf(route));
      await post(`/admin/routes/${route.model}`, { providers });
    }
    await refetchProviders();
    toast('Routes saved');
    onDone();
  });
  return (
    <Form submit={save} action="Save routes" errorTitle="Couldn’t save the routes">
      <Text fz="sm">
        Choose which live tasks go to {provider.name}. A fallback gets a task only if the providers
        before it didn’t accept it. Tasks of the demo account always return previews.
      </Text>
      <div>
        {served.map((route) => (
          <div key={route.model} className={classes.route}>
            <Text fz="sm" fw={500} className={classes.routeModel ?? ''}>
              {route.model}
            </Text>
            {route.source === 'file' ? (
              <Note>Set in vidgen.config.ts</Note>
            ) : (
              <SegmentedControl
                size="xs"
                aria-label={`Route of ${route.model}`}
                data={toData({ first: 'First choice', last: 'Fallback', none: 'Not used' })}
                value={positionOf(route)}
                onChange={(position) =>
                  setPositions((before) => ({ ...before, [route.model]: position as Position }))
                }
              />
            )}
          </div>
        ))}
      </div>
      {served.length === 0 ? <Alert color="yellow">This provider serves no model.</Alert> : null}
    </Form>
  );
}
