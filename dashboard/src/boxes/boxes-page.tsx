/** GPU boxes: machines that connect by themselves and run the engine of a provider. */
import { Badge, Modal, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { DesktopIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { CreatedWorker, ListWorkersResponse, Worker } from '@vidgen/contract/admin-workers.ts';
import { useState } from 'react';
import { serviceUrl } from '../api/base-path.ts';
import { del, invalidate, patch, polled, post } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { ActionsMenu } from '../components/actions-menu.tsx';
import { useApiForm } from '../components/api-form.ts';
import { Code } from '../components/code.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Form } from '../components/form.tsx';
import { OnceButton } from '../components/once-dialog.tsx';
import { DescriptionList, Page, SectionCard } from '../components/page.tsx';
import { CardsSkeleton, EmptyState, Loaded } from '../components/states.tsx';
import { formatDuration, Timestamp } from '../components/text.tsx';
import { TestVideo } from '../providers/test-video.tsx';

const boxesQuery = polled<ListWorkersResponse>('/admin/workers', 5_000);
const refetchBoxes = () => invalidate('/admin/workers');

type Action = 'test' | 'drain' | 'revoke';
type Open = { readonly action: Action; readonly box: Worker };

export function BoxesPage() {
  const query = useQuery(boxesQuery);
  const [open, setOpen] = useState<Open | null>(null);
  return (
    <Page
      title="GPU boxes"
      description="Machines that connect to this service by themselves, without an open port."
      actions={
        <OnceButton<Created>
          label="New box"
          form={(show, close) => <BoxForm onClose={close} onCreated={show} />}
          refresh={refetchBoxes}
          shownTitle="Connect the box"
          warning="Copy this command now. You won’t be able to see its token again."
          done="I’ve copied it"
        >
          {(created) => <CommandPanel {...created} />}
        </OnceButton>
      }
    >
      <Loaded query={query} what="GPU boxes" placeholder={<CardsSkeleton />}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={<DesktopIcon />} title="No GPU boxes yet">
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
      <Dialogs open={open} onClose={() => setOpen(null)} />
    </Page>
  );
}

function Dialogs({ open, onClose }: { readonly open: Open | null; onClose(): void }) {
  const { action, box } = open ?? {};
  const name = box?.name ?? '';
  const [provider] = box?.providers ?? [];
  const draining = !box?.draining;
  const dialog = (of: Action, title: string) => ({ opened: action === of, onClose, title });
  return (
    <>
      <Modal {...dialog('test', `Test ${name}`)}>
        {provider ? (
          <TestVideo provider={{ name: provider }} continueLabel="Done" onContinue={onClose} />
        ) : null}
      </Modal>
      <ConfirmDialog
        {...dialog('drain', draining ? `Drain ${name}?` : `Give ${name} tasks again?`)}
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
        {...dialog('revoke', `Revoke ${name}?`)}
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
  const urls = [`tunnel://${name}`, ...(label === null ? [] : [`tunnel://@${label}`])];
  return (
    <article aria-label={name}>
      <SectionCard
        title={name}
        badge={<Badge color={states[state].color}>{states[state].label}</Badge>}
        actions={
          <ActionsMenu
            of={name}
            actions={[
              providers.length > 0 && ['test', 'Run test video'],
              ['drain', box.draining ? 'Resume' : 'Drain'],
              ['revoke', 'Revoke', 'red'],
            ]}
            onAction={onAction}
          />
        }
      >
        <DescriptionList
          items={[
            ['Last seen', <Timestamp key="seen" at={box.last_seen_at} fallback="Never" />],
            ['Engine', engine ?? '–'],
            ['Current tasks', slots === 0 ? `${tasks}` : `${tasks} of ${slots}`],
            ['Time per clip', formatDuration(box.seconds_per_clip)],
            ['Version', version ?? '–'],
            ['Base URL', urls.join(' or ')],
            ['Providers', providers.length > 0 ? providers.join(', ') : 'None'],
          ]}
        />
      </SectionCard>
    </article>
  );
}

type Kind = 'comfyui' | 'openai-videos';
const engineUrls: Readonly<Record<Kind, string>> = {
  comfyui: 'http://127.0.0.1:8188',
  'openai-videos': 'http://127.0.0.1:8000',
};
const kinds = [
  { value: 'comfyui', label: 'ComfyUI' },
  { value: 'openai-videos', label: 'vLLM-Omni, SGLang or another /v1/videos server' },
];

type Created = { readonly box: CreatedWorker; readonly kind: Kind };
const namePattern = /^[a-z][a-z0-9-]{0,31}$/;
const nameRule = 'Use lower-case letters, digits and hyphens, at most 32';

function BoxForm(props: { onClose(): void; onCreated(created: Created): void }) {
  const { form, submit } = useApiForm<{ name: string; label: string; kind: Kind }>({
    initialValues: { name: '', label: '', kind: 'comfyui' },
    validate: {
      name: (name) => (namePattern.test(name.trim()) ? null : nameRule),
      label: (label) => (label.trim() === '' || namePattern.test(label.trim()) ? null : nameRule),
    },
    async send({ name, label, kind }) {
      const body = { name: name.trim(), ...(label.trim() === '' ? {} : { label: label.trim() }) };
      props.onCreated({ box: await post<CreatedWorker>('/admin/workers', body), kind });
    },
  });
  return (
    <Form
      submit={submit}
      action="Create box"
      errorTitle="Couldn’t create the box"
      onCancel={props.onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        placeholder="den-5080"
        autoComplete="off"
        maxLength={32}
        description="A provider reaches it at tunnel://name."
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Label"
        placeholder="gpus"
        autoComplete="off"
        maxLength={32}
        description="Optional. Boxes with one label share the tasks of tunnel://@label."
        {...form.getInputProps('label')}
      />
      <Select
        label="Engine"
        description="Only for the command that you get next."
        data={kinds}
        allowDeselect={false}
        comboboxProps={{ withinPortal: true }}
        {...form.getInputProps('kind')}
      />
    </Form>
  );
}

function CommandPanel({ box, kind }: Created) {
  const command = [
    `curl -fsSO ${serviceUrl}/vidgen.mjs`,
    `VIDGEN_WORKER_TOKEN=${box.token} \\`,
    `  node vidgen.mjs worker --name ${box.name} \\`,
    `  --engine ${engineUrls[kind]} --kind ${kind}`,
  ].join('\n');
  return (
    <>
      <Text fz="sm">Run it on the machine with the GPU, with Node 18.3 or newer:</Text>
      <Code code={command} language="bash" label="command" wrap />
      <Text fz="sm">
        Then connect a provider with the base URL <b>tunnel://{box.name}</b> and route a model to
        it.
      </Text>
    </>
  );
}
