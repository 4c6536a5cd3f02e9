/** The models of the installation with their limits and prices; administrators declare them. */
import { Alert, Badge, Button, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { PlusIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { InstalledModel } from '@vidgen/contract/admin-models.ts';
import { useState } from 'react';
import { del } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { ActionsMenu } from '../components/actions-menu.tsx';
import { Code } from '../components/code.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { DescriptionList, Page, SectionCard } from '../components/page.tsx';
import { CardsSkeleton, EmptyState, Loaded } from '../components/states.tsx';
import { formatNumber, SmallNote } from '../components/text.tsx';
import { generationTypeLabels, lengthsText } from '../components/value-labels.ts';
import { modelsQuery } from '../playground/playground-queries.ts';
import { providerName, refetchProviders } from '../providers/provider-queries.ts';
import { previewName } from '../providers/route-order.ts';
import { TestVideo } from '../providers/test-video.tsx';
import { declarationOf, jsonOf } from './declaration.ts';
import { ModelEditor } from './model-editor.tsx';

type Action = 'declare' | 'change' | 'json' | 'test' | 'remove';
type Open = { readonly action: Action; readonly model: InstalledModel | null };

export function ModelsPage() {
  const query = useQuery(modelsQuery);
  const [open, setOpen] = useState<Open | null>(null);
  return (
    <Page
      title="Models"
      description="What this installation offers, with limits and prices."
      actions={
        <Button
          leftSection={<PlusIcon aria-hidden />}
          onClick={() => setOpen({ action: 'declare', model: null })}
        >
          Declare model
        </Button>
      }
    >
      <Loaded query={query} what="models" placeholder={<CardsSkeleton />}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title="No models yet">
              Declare a model with its limits and prices to offer it.
            </EmptyState>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              {items.map((model) => (
                <ModelCard
                  key={model.id}
                  model={model}
                  onAction={(action) => setOpen({ action, model })}
                />
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
      <Dialogs open={open} onClose={() => setOpen(null)} />
    </Page>
  );
}

function Dialogs({ open, onClose }: { readonly open: Open | null; onClose(): void }) {
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  const { action, model = null } = open ?? {};
  const name = model?.id ?? '';
  const provider = model && providerOf(model);
  const isEdited = action === 'declare' || action === 'change';
  const dialog = (of: Action, title: string) => ({ opened: action === of, onClose, title });
  return (
    <>
      <Modal
        opened={isEdited}
        onClose={onClose}
        closeOnClickOutside={false}
        size="lg"
        fullScreen={isNarrow}
        title={model ? `Change ${name}` : 'Declare model'}
      >
        <ModelEditor before={model && declarationOf(model)} onDone={onClose} />
      </Modal>
      <Modal {...dialog('json', `${name} as JSON`)} size="lg">
        {model ? (
          <Code code={jsonOf(declarationOf(model))} language="json" label="declaration" />
        ) : null}
      </Modal>
      <Modal {...dialog('test', `Test ${name} at ${provider}`)}>
        {provider ? (
          <TestVideo
            provider={{ name: provider }}
            model={name}
            continueLabel="Done"
            onContinue={onClose}
          />
        ) : null}
      </Modal>
      <ConfirmDialog
        {...dialog('remove', `Remove ${name}?`)}
        action="Remove model"
        run={async () => {
          await del(`/admin/models/${encodeURIComponent(name)}`);
          await refetchProviders();
          toast(`Removed ${name}`);
        }}
      >
        It takes no new tasks. Those that exist are finished at their price.
      </ConfirmDialog>
    </>
  );
}

/** The first one that can make a test video, or null. */
const providerOf = ({ route }: InstalledModel): string | null =>
  route.find((name) => name !== previewName) ?? null;

const sources = {
  contract: { label: 'Built in', note: null },
  file: { label: 'File', note: 'Declared in the configuration file. Change it there.' },
  dashboard: { label: 'Dashboard', note: null },
} as const;

function ModelCard(props: { readonly model: InstalledModel; onAction(action: Action): void }) {
  const { model, onAction } = props;
  const { id, title, source, route, problems } = model;
  const isOwn = source === 'dashboard';
  const { min, max, default: usual } = model.duration;
  return (
    <article aria-label={id}>
      <SectionCard
        title={title}
        badge={<Badge color={isOwn ? 'blue' : 'gray'}>{sources[source].label}</Badge>}
        actions={
          <ActionsMenu
            of={id}
            actions={[
              isOwn && ['change', 'Change'],
              ['json', 'Copy as JSON'],
              providerOf(model) !== null && ['test', 'Run test video'],
              isOwn && ['remove', 'Remove', 'red'],
            ]}
            onAction={onAction}
          />
        }
      >
        <Stack gap="sm">
          {problems.length > 0 ? (
            <Alert color="orange" p="sm" title="Its providers don’t make everything it offers">
              {problems.map((problem) => (
                <Text key={problem} fz="sm">
                  {problem}
                </Text>
              ))}
            </Alert>
          ) : null}
          <DescriptionList
            items={[
              ...(title === id ? [] : [['Name', id] as const]),
              [
                'Makes',
                model.generation_types.map((type) => generationTypeLabels[type]).join(', '),
              ],
              [
                'Lengths',
                min === max
                  ? `${min} s`
                  : `${lengthsText(model.duration)} s, ${usual} s by default`,
              ],
              ...model.prices.map((price) => [price.resolution, priceText(model, price)] as const),
              ['Providers', route.length > 0 ? route.map(providerName).join(', ') : 'None'],
              ...(model.retires === null ? [] : [['Retires', model.retires] as const]),
            ]}
          />
          {sources[source].note ? <SmallNote>{sources[source].note}</SmallNote> : null}
        </Stack>
      </SectionCard>
    </article>
  );
}

/** "8 credits per second, 12 with a reference video". Prices that change nothing are left out. */
function priceText({ sound }: InstalledModel, price: InstalledModel['prices'][number]): string {
  const { credits_per_second: second, credits_per_second_silent: silent } = price;
  const { credits_per_second_with_video: withVideo, credits_per_input_second: input } = price;
  const { credits_per_task: task } = price;
  const [first = 0] = [second, task].filter((credits) => credits > 0);
  const parts = [
    second > 0 || task === 0 ? `${formatNumber(second)} per second` : null,
    silent !== second && sound === 'optional' ? `${formatNumber(silent)} without sound` : null,
    withVideo !== second ? `${formatNumber(withVideo)} with a reference video` : null,
    input > 0 ? `${formatNumber(input)} per second of it` : null,
    task > 0 ? `${formatNumber(task)} per video` : null,
  ].filter((part) => part !== null);
  return parts.join(', ').replace(' per', first === 1 ? ' credit per' : ' credits per');
}
