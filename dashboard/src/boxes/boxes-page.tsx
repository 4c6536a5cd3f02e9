/** GPU boxes: machines that connect by themselves and run the engine of a provider. */
import { ActionIcon, Badge, Button, Menu, Modal, SimpleGrid, Stack } from '@mantine/core';
import { DesktopIcon, DotsHorizontalIcon, PlusIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { ListWorkersResponse, Worker } from '@vidgen/contract/admin-workers.ts';
import { type ReactNode, useState } from 'react';
import { del, patch } from '../api/client.ts';
import { invalidate, resource } from '../api/query-client.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/error-notice.tsx';
import { formatDuration } from '../components/format.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { DescriptionList, SectionCard } from '../components/section-card.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { TestVideo } from '../providers/test-video.tsx';
import { NewBoxDialog } from './new-box-dialog.tsx';

const boxesQuery = {
  ...resource<ListWorkersResponse>('/admin/workers'),
  refetchInterval: 5_000,
};
const refetchBoxes = () => invalidate('/admin/workers');

type Action = 'test' | 'drain' | 'revoke';
type Open = { readonly action: Action; readonly box: Worker };

export function BoxesPage(): ReactNode {
  const query = useQuery(boxesQuery);
  const [isCreating, setCreating] = useState(false);
  const [open, setOpen] = useState<Open | null>(null);
  const create = (
    <Button leftSection={<PlusIcon aria-hidden />} onClick={() => setCreating(true)}>
      New box
    </Button>
  );
  return (
    <Stack gap="lg">
      <PageHeader
        title="GPU boxes"
        description="Machines that connect to this service by themselves, without an open port."
        actions={create}
      />
      <Loaded query={query} what="GPU boxes" placeholder={<PageSkeleton />}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={<DesktopIcon />} title="No GPU boxes yet" action={create}>
              Run one command on a machine with a GPU, and its ComfyUI, vLLM-Omni or SGLang makes
              your videos. It can be at home or behind a firewall.
            </EmptyState>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              {items.map((box) => (
                <BoxCard key={box.name} box={box} onAction={(action) => setOpen({ action, box })} />
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
      <NewBoxDialog
        opened={isCreating}
        onClose={() => setCreating(false)}
        onCreated={() => void refetchBoxes()}
      />
      <Dialogs open={open} onClose={() => setOpen(null)} />
    </Stack>
  );
}

function Dialogs({ open, onClose }: { readonly open: Open | null; onClose(): void }): ReactNode {
  const { action, box } = open ?? {};
  const name = box?.name ?? '';
  const [provider] = box?.providers ?? [];
  const draining = !box?.draining;
  return (
    <>
      <Modal opened={action === 'test'} onClose={onClose} title={`Test ${name}`}>
        {provider ? (
          <TestVideo provider={{ name: provider }} continueLabel="Done" onContinue={onClose} />
        ) : null}
      </Modal>
      <ConfirmDialog
        opened={action === 'drain'}
        onClose={onClose}
        title={draining ? `Drain ${name}?` : `Give ${name} tasks again?`}
        action={draining ? 'Drain box' : 'Resume box'}
        nonDestructive
        run={async () => {
          await patch(`/admin/workers/${name}`, { draining });
          await refetchBoxes();
          toast(draining ? `${name} takes no new tasks` : `${name} takes tasks again`);
        }}
      >
        {draining
          ? 'It finishes its tasks and gets no new ones.'
          : 'It gets new tasks as soon as it is connected.'}
      </ConfirmDialog>
      <ConfirmDialog
        opened={action === 'revoke'}
        onClose={onClose}
        title={`Revoke ${name}?`}
        action="Revoke box"
        run={async () => {
          await del(`/admin/workers/${name}`);
          await refetchBoxes();
          toast(`Revoked ${name}`);
        }}
      >
        Its connections close now, and its token no longer works. Tasks that it’s working on fail at
        their deadline and are refunded. To let them finish, drain it first.
      </ConfirmDialog>
    </>
  );
}

const states = {
  new: { label: 'Never connected', color: 'gray' },
  connected: { label: 'Connected', color: 'green' },
  draining: { label: 'Draining', color: 'yellow' },
  away: { label: 'Away', color: 'red' },
} as const;

function BoxCard({ box, onAction }: { readonly box: Worker; onAction(action: Action): void }) {
  const { name, label, state, engine, slots, version, providers, current_tasks: tasks } = box;
  const seconds = box.seconds_per_clip;
  const urls = [`tunnel://${name}`, ...(label === null ? [] : [`tunnel://@${label}`])];
  return (
    <article aria-label={name}>
      <SectionCard
        title={name}
        badge={<Badge color={states[state].color}>{states[state].label}</Badge>}
        actions={<Actions box={box} onAction={onAction} />}
      >
        <DescriptionList
          items={[
            ['Last seen', <Timestamp key="seen" at={box.last_seen_at} fallback="Never" />],
            ['Engine', engine ?? '–'],
            ['Current tasks', slots === 0 ? `${tasks}` : `${tasks} of ${slots}`],
            ['Time per clip', seconds === null ? '–' : formatDuration(seconds)],
            ['Version', version ?? '–'],
            ['Base URL', urls.join(' or ')],
            ['Providers', providers.length > 0 ? providers.join(', ') : 'None'],
          ]}
        />
      </SectionCard>
    </article>
  );
}

function Actions({ box, onAction }: { readonly box: Worker; onAction(action: Action): void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" aria-label={`Actions for ${box.name}`}>
          <DotsHorizontalIcon aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {box.providers.length > 0 ? (
          <Menu.Item onClick={() => onAction('test')}>Make a test video</Menu.Item>
        ) : null}
        <Menu.Item onClick={() => onAction('drain')}>{box.draining ? 'Resume' : 'Drain'}</Menu.Item>
        <Menu.Item color="red" onClick={() => onAction('revoke')}>
          Revoke
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
