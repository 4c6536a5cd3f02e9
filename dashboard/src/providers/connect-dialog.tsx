/**
 * Connects a provider in four steps: kind, connection, test video, routes. It is stored after the
 * second step and gets no tasks before the last one.
 */
import { Modal, Paper, SimpleGrid, Stack, Stepper, Text, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ListProvidersResponse, ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import {
  kindDescriptions,
  type ProviderKind,
  providerKinds,
} from '@vidgen/contract/provider-kinds.ts';
import { type ReactNode, useState } from 'react';
import { Loaded } from '../components/error-notice.tsx';
import { Note } from '../components/texts.tsx';
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
}): ReactNode {
  const { opened, onClose, data } = props;
  const isNarrow = useMediaQuery('(max-width: 48em)');
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={false}
      size="lg"
      fullScreen={isNarrow ?? false}
      title="Connect provider"
    >
      <ConnectSteps data={data} isNarrow={isNarrow ?? false} onClose={onClose} />
    </Modal>
  );
}

const steps = ['Provider', 'Connection', 'Test video', 'Routes'] as const;

function ConnectSteps(props: {
  readonly data: ListProvidersResponse;
  readonly isNarrow: boolean;
  onClose(): void;
}): ReactNode {
  const { data, isNarrow, onClose } = props;
  const [step, setStep] = useState(0);
  const [kind, setKind] = useState<ProviderKind | null>(null);
  const [provider, setProvider] = useState<ProviderHealth | null>(null);
  const models = useQuery(modelsQuery);
  const presets = useQuery(presetsQuery);
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
        <Loaded query={presets} what="presets" height={300}>
          {({ items }) => (
            <Loaded query={models} what="models" height={300}>
              {({ items: installed }) => (
                <ConnectForm
                  key={kind}
                  kind={kind}
                  known={{
                    takenNames: data.items.map(({ name }) => name),
                    installed: installed.map(({ id }) => id),
                    presets: items,
                  }}
                  onBack={() => setStep(0)}
                  onConnected={(connected) => {
                    setProvider(connected);
                    setStep(2);
                  }}
                />
              )}
            </Loaded>
          )}
        </Loaded>
      ) : null}
      {step === 2 && provider !== null ? (
        <TestVideo provider={provider} continueLabel="Set routes" onContinue={() => setStep(3)} />
      ) : null}
      {step === 3 && provider !== null ? (
        <RouteChoices provider={provider} routes={data.routes} onDone={onClose} />
      ) : null}
    </Stack>
  );
}

function KindTiles({ onPick }: { onPick(kind: ProviderKind): void }): ReactNode {
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
