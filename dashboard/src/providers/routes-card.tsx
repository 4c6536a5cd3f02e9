/** The route of each model: its providers in order, and the form of one provider's routes. */
import { Alert, Badge, Group, SegmentedControl, Text } from '@mantine/core';
import type {
  ListProvidersResponse,
  ProviderHealth,
  ProviderRoute,
} from '@vidgen/contract/admin-providers.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { toast, useAsyncAction } from '../components/action.ts';
import { toData } from '../components/filters.tsx';
import { Form } from '../components/form.tsx';
import { SectionCard } from '../components/page.tsx';
import { Note, SmallNote } from '../components/text.tsx';
import { refetchProviders } from './provider-queries.ts';
import classes from './providers.module.css';
import { type Position, positionIn, previewName, withProvider } from './route-order.ts';

export function RoutesCard({ data }: { readonly data: ListProvidersResponse }) {
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
          {route.source === 'file' ? <SmallNote>vidgen.config.ts</SmallNote> : null}
        </div>
      ))}
    </SectionCard>
  );
}

function RouteSteps({ route }: { readonly route: ProviderRoute }) {
  const { steps } = route;
  if (steps.length === 0) {
    return (
      <Text fz="sm" c="red">
        No provider: not available to live keys
      </Text>
    );
  }
  return (
    <Group gap={6}>
      {steps.map(({ providers, by }, at) => (
        <Group key={providers.join()} gap={6}>
          {at === 0 ? null : <Word>then</Word>}
          {providers.map((name, place) => (
            <Group key={name} gap={6} wrap="nowrap">
              {place === 0 ? null : <Word>or</Word>}
              {name === previewName ? (
                <Badge color="orange">Preview</Badge>
              ) : (
                <Badge tt="none">{name}</Badge>
              )}
            </Group>
          ))}
          {by === null ? null : <Word>{by === 'cost' ? 'cheapest first' : 'by weight'}</Word>}
        </Group>
      ))}
    </Group>
  );
}

const Word = ({ children }: { readonly children: string }) => (
  <Text span fz="xs" c="dimmed">
    {children}
  </Text>
);

/** Which models a provider serves, and whether it is the first choice or a fallback. */
export function RouteChoices(props: {
  readonly provider: ProviderHealth;
  readonly routes: readonly ProviderRoute[];
  onDone(): void;
}) {
  const { provider, routes, onDone } = props;
  const served = routes.filter(({ model }) => provider.serves.includes(model));
  const [positions, setPositions] = useState<Partial<Record<ModelName, Position>>>({});
  const positionOf = (route: ProviderRoute): Position =>
    positions[route.model] ?? (positionIn(route, provider.name) || 'first');
  const save = useAsyncAction(async () => {
    const changed = served.filter(
      ({ model, source }) => source === 'default' || (source !== 'file' && model in positions),
    );
    for (const route of changed) {
      const providers = withProvider(route, provider.name, positionOf(route));
      await post(`/admin/routes/${encodeURIComponent(route.model)}`, { providers });
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
