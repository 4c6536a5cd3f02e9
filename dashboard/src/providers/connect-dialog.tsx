/**
 * Connects a provider in five steps: kind, connection, test video, routes, and an account to use it
 * with. It is stored after the second step, which stays open for corrections.
 */
import { Modal, Paper, SimpleGrid, Stack, Stepper, Text, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type {
  ListProvidersResponse,
  ProviderConnection,
} from '@vidgen/contract/admin-providers.ts';
import {
  kindDescriptions,
  type ProviderKind,
  providerKinds,
} from '@vidgen/contract/provider-kinds.ts';
import { useState } from 'react';
import { CreateAccountForm } from '../admin/create-account.tsx';
import { resource } from '../api/client.ts';
import { Loaded } from '../components/states.tsx';
import { Note } from '../components/text.tsx';
import { modelsQuery } from '../playground/playground-queries.ts';
import { ConnectForm } from './connect-form.tsx';
import { presetsQuery } from './provider-queries.ts';
import classes from './providers.module.css';
import { RouteChoices } from './routes-card.tsx';
import { TestVideo } from './test-video.tsx';

export function ConnectDialog(props: {
  readonly opened: boolean;
  onClose(): void;
  readonly data: ListProvidersResponse;
}) {
  const { opened, onClose, data } = props;
  const isNarrow = useMediaQuery('(max-width: 48em)');
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={false}
      size="44rem"
      fullScreen={isNarrow ?? false}
      title="Connect provider"
    >
      <ConnectSteps data={data} isNarrow={isNarrow ?? false} onClose={onClose} />
    </Modal>
  );
}

/** Enough for several videos of any model. */
const firstCredits = 1000;

const steps = ['Provider', 'Connection', 'Test', 'Routes', 'Account'] as const;

function ConnectSteps(props: {
  readonly data: ListProvidersResponse;
  readonly isNarrow: boolean;
  onClose(): void;
}) {
  const { data, isNarrow, onClose } = props;
  const [step, setStep] = useState(0);
  const [kind, setKind] = useState<ProviderKind | null>(null);
  const [name, setName] = useState<string | null>(null);
  const provider = data.items.find((one) => one.name === name);
  return (
    <Stack gap="lg">
      <Stepper active={step} size="xs" iconSize={28} allowNextStepsSelect={false}>
        {steps.map((label, at) => (
          <Stepper.Step
            key={label}
            {...(isNarrow ? { 'aria-label': `${at + 1} ${label}` } : { label })}
          />
        ))}
      </Stepper>
      {step === 0 ? (
        <KindTiles
          onPick={(picked) => {
            setKind(picked);
            setStep(1);
          }}
        />
      ) : null}
      {step === 1 && kind !== null ? (
        <Connection
          kind={kind}
          name={name}
          data={data}
          action="Save and continue"
          {...(name === null ? { onBack: () => setStep(0) } : {})}
          onSaved={(saved) => {
            setName(saved);
            setStep(2);
          }}
        />
      ) : null}
      {step === 2 && provider ? (
        <TestVideo
          provider={provider}
          continueLabel="Set routes"
          onBack={() => setStep(1)}
          onContinue={() => setStep(3)}
        />
      ) : null}
      {step === 3 && provider ? (
        <RouteChoices provider={provider} routes={data.routes} onDone={() => setStep(4)} />
      ) : null}
      {step === 4 && provider ? (
        <CreateAccountForm
          first={{ credits: firstCredits, model: provider.models[0] ?? provider.serves[0] }}
          onCancel={onClose}
        />
      ) : null}
    </Stack>
  );
}

/** The form of a connection, with what is saved of one that is corrected. */
export function Connection(props: {
  readonly kind: ProviderKind;
  /** Null for a provider that is connected. */
  readonly name: string | null;
  readonly data: ListProvidersResponse;
  readonly action: string;
  onBack?(): void;
  onSaved(name: string): void;
}) {
  const { kind, name, data, action, onBack, onSaved } = props;
  const models = useQuery(modelsQuery);
  const presets = useQuery(presetsQuery);
  const existing = useQuery({
    ...resource<ProviderConnection>(`/admin/providers/${name}`),
    enabled: name !== null,
    gcTime: 0,
  });
  return (
    <Loaded query={presets} what="presets" height={300}>
      {({ items }) => (
        <Loaded query={models} what="models" height={300}>
          {({ items: installed }) =>
            name !== null && !existing.data ? (
              <Loaded query={existing} what="the connection" height={300}>
                {() => null}
              </Loaded>
            ) : (
              <ConnectForm
                kind={kind}
                known={{
                  takenNames: data.items.map((one) => one.name),
                  installed: installed.map(({ id }) => id),
                  presets: items,
                }}
                {...(existing.data ? { existing: existing.data } : {})}
                {...(onBack ? { onBack } : {})}
                action={action}
                onConnected={onSaved}
              />
            )
          }
        </Loaded>
      )}
    </Loaded>
  );
}

function KindTiles({ onPick }: { onPick(kind: ProviderKind): void }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      {providerKinds.map((kind) => (
        <UnstyledButton key={kind} onClick={() => onPick(kind)} className={classes.tile ?? ''}>
          <Paper withBorder p="md" h="100%">
            <Text fw={600} fz="sm">
              {kindDescriptions[kind].label}
            </Text>
            <Note>{kindDescriptions[kind].description}</Note>
          </Paper>
        </UnstyledButton>
      ))}
    </SimpleGrid>
  );
}
