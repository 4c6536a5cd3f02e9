/** Which models a provider serves, and whether it is the first choice or a fallback. */
import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import type { ProviderHealth, ProviderRoute } from '@vidgen/contract/admin-providers.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { toast } from '../components/toast.ts';
import { useAsyncAction } from '../components/use-async-action.ts';
import { refetchProviders } from './provider-queries.ts';
import classes from './providers.module.css';
import { type Position, positionIn, withProvider } from './route-order.ts';

export function RouteChoices({
  provider,
  routes,
  onDone,
}: {
  readonly provider: ProviderHealth;
  readonly routes: readonly ProviderRoute[];
  onDone(): void;
}): ReactNode {
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
    <Stack gap="md">
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
              <Text fz="sm" c="dimmed">
                Set in vidgen.config.ts
              </Text>
            ) : (
              <SegmentedControl
                size="xs"
                aria-label={`Route of ${route.model}`}
                data={[
                  { value: 'first', label: 'First choice' },
                  { value: 'last', label: 'Fallback' },
                  { value: 'none', label: 'Not used' },
                ]}
                value={positionOf(route)}
                onChange={(position) =>
                  setPositions((before) => ({ ...before, [route.model]: position as Position }))
                }
              />
            )}
          </div>
        ))}
      </div>
      {served.length === 0 ? (
        <Alert color="yellow" variant="light">
          This provider serves no model.
        </Alert>
      ) : null}
      {save.error ? <ErrorNotice error={save.error} title="Couldn’t save the routes" /> : null}
      <Group justify="flex-end">
        <Button loading={save.isPending} onClick={save.run}>
          Save routes
        </Button>
      </Group>
    </Stack>
  );
}
