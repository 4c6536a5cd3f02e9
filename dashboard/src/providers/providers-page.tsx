/** Providers with their health and figures, the routes, and connecting a provider. */
import { Alert, Button, Modal, PasswordInput, SimpleGrid, Text } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ListProvidersResponse, ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import { useState } from 'react';
import { del, post } from '../api/client.ts';
import { toast, useAsyncAction } from '../components/action.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Form } from '../components/form.tsx';
import { Page } from '../components/page.tsx';
import { CardsSkeleton, Loaded } from '../components/states.tsx';
import { ConnectDialog, Connection } from './connect-dialog.tsx';
import { type ProviderAction, ProviderCard } from './provider-card.tsx';
import { providersQuery, refetchProviders } from './provider-queries.ts';
import { removalNote } from './route-order.ts';
import { RouteChoices, RoutesCard } from './routes-card.tsx';
import { TestVideo } from './test-video.tsx';

export function ProvidersPage() {
  const query = useQuery(providersQuery);
  const { connect } = useSearch({ from: '/signed-in/operator/providers' });
  const navigate = useNavigate({ from: '/operator/providers' });
  const setConnecting = (opened: boolean) =>
    void navigate({ search: opened ? { connect: 'true' } : {}, replace: true });
  return (
    <Page
      title="Providers"
      description="The providers of this installation, their health, and the models they serve."
      actions={
        <Button leftSection={<PlusIcon aria-hidden />} onClick={() => setConnecting(true)}>
          Connect provider
        </Button>
      }
    >
      <Loaded query={query} what="providers" placeholder={<CardsSkeleton />}>
        {(data) => (
          <>
            <Providers data={data} />
            <RoutesCard data={data} />
            <ConnectDialog
              opened={connect === 'true'}
              onClose={() => setConnecting(false)}
              data={data}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

type OpenAction = { readonly provider: ProviderHealth; readonly action: ProviderAction };

/** Real providers first. */
const sourceOrder = ['dashboard', 'file', 'built-in'] as const;

function Providers({ data }: { readonly data: ListProvidersResponse }) {
  const [open, setOpen] = useState<OpenAction | null>(null);
  const close = () => setOpen(null);
  const sorted = data.items.toSorted(
    (one, other) => sourceOrder.indexOf(one.source) - sourceOrder.indexOf(other.source),
  );
  const { action, provider } = open ?? {};
  const name = provider?.name ?? '';
  const note = removalNote(data, name);
  const dialog = (of: ProviderAction, title: string) => ({
    opened: action === of,
    onClose: close,
    title,
  });
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {sorted.map((provider) => (
          <ProviderCard
            key={provider.name}
            provider={provider}
            onAction={(action) => setOpen({ provider, action })}
          />
        ))}
      </SimpleGrid>
      <Modal {...dialog('test', `Test ${name}`)}>
        {provider && <TestVideo provider={provider} continueLabel="Done" onContinue={close} />}
      </Modal>
      <Modal {...dialog('edit', `Connection of ${name}`)} closeOnClickOutside={false} size="lg">
        {provider?.kind ? (
          <Connection
            kind={provider.kind}
            name={name}
            data={data}
            action="Save connection"
            onSaved={(saved) => {
              toast(`Saved ${saved}`);
              close();
            }}
          />
        ) : null}
      </Modal>
      <Modal {...dialog('routes', `Routes of ${name}`)} size="lg">
        {provider && <RouteChoices provider={provider} routes={data.routes} onDone={close} />}
      </Modal>
      <Modal {...dialog('key', `Replace the key of ${name}`)}>
        <ReplaceKeyForm name={name} onClose={close} />
      </Modal>
      <ConfirmDialog
        {...dialog('remove', `Remove ${name}?`)}
        action="Remove provider"
        run={async () => {
          await del(`/admin/providers/${name}`);
          await refetchProviders();
          toast(`Removed ${name}`);
        }}
      >
        <Text fz="sm">
          It leaves all routes now and finishes the tasks it has. Then its key is deleted.
        </Text>
        {note && (
          <Alert color="orange" p="sm">
            {note}
          </Alert>
        )}
      </ConfirmDialog>
    </>
  );
}

/** Replaces the API key of a connected provider. */
function ReplaceKeyForm({ name, onClose }: { readonly name: string; onClose(): void }) {
  const [apiKey, setApiKey] = useState('');
  const submit = useAsyncAction(async () => {
    await post(`/admin/providers/${name}/key`, { api_key: apiKey.trim() });
    await refetchProviders();
    toast('Key replaced');
    onClose();
  });
  return (
    <Form
      submit={submit}
      action="Replace key"
      errorTitle="Couldn’t replace the key"
      isDisabled={apiKey.trim() === ''}
    >
      <Text fz="sm">New tasks use the new key. Running tasks finish with the previous one.</Text>
      <PasswordInput
        label="API key"
        required
        data-autofocus
        autoComplete="off"
        value={apiKey}
        onChange={({ currentTarget: { value } }) => setApiKey(value)}
      />
    </Form>
  );
}
