/** Creates a GPU box, and shows once the command that connects it. */
import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import type { CreatedWorker } from '@vidgen/contract/admin-workers.ts';
import { type ReactNode, useState } from 'react';
import { serviceUrl } from '../api/base-path.ts';
import { post } from '../api/client.ts';
import { Code } from '../components/code.tsx';
import { Form } from '../components/form.tsx';
import { useApiForm } from '../components/use-api-form.ts';

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
type Props = { readonly opened: boolean; onClose(): void; onCreated(): void };

export function NewBoxDialog({ opened, onClose, onCreated }: Props): ReactNode {
  const [created, setCreated] = useState<Created | null>(null);
  const close = () => {
    setCreated(null);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={created ? `Connect ${created.box.name}` : 'New box'}
      size="lg"
      closeOnClickOutside={created === null}
      closeOnEscape={created === null}
      withCloseButton={created === null}
    >
      {created ? (
        <CommandPanel {...created} onDone={close} />
      ) : (
        <BoxForm
          onClose={onClose}
          onCreated={(one) => {
            setCreated(one);
            onCreated();
          }}
        />
      )}
    </Modal>
  );
}

const namePattern = /^[a-z][a-z0-9-]{0,31}$/;
const nameRule = 'Use lower-case letters, digits and hyphens, at most 32';

function BoxForm(props: { onClose(): void; onCreated(created: Created): void }): ReactNode {
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
        description="A provider reaches it at tunnel://name."
        placeholder="den-5080"
        autoComplete="off"
        maxLength={32}
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Label"
        description="Optional. Boxes with one label share the tasks of tunnel://@label."
        placeholder="gpus"
        autoComplete="off"
        maxLength={32}
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

function CommandPanel({ box, kind, onDone }: Created & { onDone(): void }): ReactNode {
  const command = [
    `curl -fsSO ${serviceUrl}/vidgen.mjs`,
    `VIDGEN_WORKER_TOKEN=${box.token} \\`,
    `  node vidgen.mjs worker --name ${box.name} \\`,
    `  --engine ${engineUrls[kind]} --kind ${kind}`,
  ].join('\n');
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<ExclamationTriangleIcon aria-hidden />}>
        Copy this command now. You won’t be able to see its token again.
      </Alert>
      <Text fz="sm">Run it on the machine with the GPU, with Node 18.3 or newer:</Text>
      <Code code={command} language="bash" label="command" wrap />
      <Text fz="sm">
        Then connect a provider with the base URL <b>tunnel://{box.name}</b> and route a model to
        it.
      </Text>
      <Group justify="flex-end">
        <Button onClick={onDone}>I’ve copied it</Button>
      </Group>
    </Stack>
  );
}
