/** The second step of connecting a provider: name, key, base URL and models. */
import {
  Button,
  Checkbox,
  Group,
  PasswordInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import { type ModelName, modelNames } from '@vidgen/contract/models.ts';
import {
  kindDescriptions,
  type ProviderKind,
  type ProviderPreset,
  presetBaseUrls,
  presetLabels,
  presetModels,
  providerPresets,
} from '@vidgen/contract/provider-kinds.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SmallNote } from '../components/texts.tsx';
import { useAsyncAction } from '../components/use-async-action.ts';
import {
  allModels,
  connectRequestOf,
  emptyForm,
  type ConnectForm as Form,
  freeName,
  ownDescription,
} from './connect-request.ts';
import { refetchProviders } from './provider-queries.ts';

type Change = (change: Partial<Form>) => void;
type FieldsProps = { readonly form: Form; readonly change: Change };

export function ConnectForm(props: {
  readonly kind: ProviderKind;
  readonly takenNames: readonly string[];
  onBack(): void;
  onConnected(provider: ProviderHealth): void;
}): ReactNode {
  const { kind, takenNames, onBack, onConnected } = props;
  const [form, setForm] = useState(() => emptyForm(kind, takenNames));
  const change: Change = (changed) => setForm((before) => ({ ...before, ...changed }));
  const submit = useAsyncAction(async () => {
    const connected = await post<ProviderHealth>('/admin/providers', connectRequestOf(form));
    await refetchProviders();
    onConnected(connected);
  });
  const isOwn = kind === 'declared' && form.preset === ownDescription;
  return (
    <form onSubmit={submit.run}>
      <Stack gap="md">
        {kind === 'declared' ? (
          <PresetSelect form={form} takenNames={takenNames} change={change} />
        ) : null}
        <TextInput
          label="Name"
          description="Tasks and logs show it. It can’t be changed later."
          required
          maxLength={32}
          value={form.name}
          onChange={({ currentTarget: { value: name } }) => change({ name })}
        />
        <ConnectionFields form={form} change={change} />
        {kind === 'comfyui' ? <WorkflowFields form={form} change={change} /> : null}
        {isOwn ? (
          <JsonField
            label="Description"
            description="JSON with the settings of a declared provider, as in docs/providers.md."
            form={form}
            change={change}
          />
        ) : null}
        {kind === 'comfyui' || isOwn ? null : <ModelFields form={form} change={change} />}
        <ErrorNotice error={submit.error} title="Couldn’t connect the provider" />
        <Group justify="space-between">
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
          <Button type="submit" loading={submit.isPending}>
            Save and continue
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function PresetSelect(props: FieldsProps & { readonly takenNames: readonly string[] }): ReactNode {
  const { form, takenNames, change } = props;
  return (
    <Select
      label="API"
      data={[
        ...providerPresets.map((value) => ({ value, label: presetLabels[value] })),
        { value: ownDescription, label: 'Your own description' },
      ]}
      value={form.preset}
      onChange={(value) => {
        if (value === ownDescription) return change({ preset: value, name: 'custom' });
        const preset = value as ProviderPreset;
        const name = freeName(preset, takenNames);
        change({ preset, name, baseUrl: '', models: allModels(presetModels[preset]) });
      }}
    />
  );
}

const dialectOptions = [
  { value: 'vllm', label: 'vLLM-Omni' },
  { value: 'sglang', label: 'SGLang-Diffusion' },
  { value: 'gateway', label: 'LiteLLM or another gateway' },
  { value: 'openrouter', label: 'OpenRouter' },
  { value: 'openai', label: 'Azure' },
  { value: 'vidgen', label: 'Another vidgen' },
];

/** Undefined where the base URL is known, and the form has no field for it. */
function baseUrlExample({ kind, preset }: Form): string | undefined {
  if (kind === 'declared') return preset === ownDescription ? undefined : presetBaseUrls[preset];
  if (kindDescriptions[kind].baseUrl === null) return undefined;
  return kind === 'comfyui' ? 'http://10.0.0.7:8188' : 'http://10.0.0.7:8000/v1';
}

function ConnectionFields({ form, change }: FieldsProps): ReactNode {
  const { key } = kindDescriptions[form.kind];
  const example = baseUrlExample(form);
  return (
    <>
      {form.kind === 'openai-videos' ? (
        <Select
          label="Server"
          data={dialectOptions}
          value={form.dialect}
          onChange={(dialect) => change({ dialect: dialect as Form['dialect'] })}
        />
      ) : null}
      {example === undefined ? null : (
        <TextInput
          label="Base URL"
          type="url"
          required
          placeholder={example}
          value={form.baseUrl}
          onChange={({ currentTarget: { value } }) => change({ baseUrl: value })}
        />
      )}
      <PasswordInput
        label="API key"
        description="Encrypted. You can replace it, but never see it again."
        autoComplete="off"
        data-1p-ignore
        required={key === 'required'}
        value={form.apiKey}
        onChange={({ currentTarget: { value: apiKey } }) => change({ apiKey })}
      />
    </>
  );
}

function ModelFields({ form, change }: FieldsProps): ReactNode {
  return (
    <Stack gap="xs" component="fieldset" p={0} m={0} style={{ border: 0 }}>
      <Text component="legend" fz="sm" fw={500} p={0}>
        Models
      </Text>
      <SmallNote>
        What the provider calls each model. Leave a field empty if it doesn’t serve the model.
      </SmallNote>
      {modelNames.map((model) => (
        <Group key={model} gap="sm" wrap="nowrap">
          <Text fz="sm" w="9rem" component="label" htmlFor={`model-${model}`}>
            {model}
          </Text>
          <TextInput
            id={`model-${model}`}
            flex={1}
            placeholder="Not served"
            value={form.models[model]}
            onChange={({ currentTarget: { value } }) =>
              change({ models: { ...form.models, [model]: value } })
            }
          />
        </Group>
      ))}
    </Stack>
  );
}

function WorkflowFields({ form, change }: FieldsProps): ReactNode {
  return (
    <>
      <JsonField
        label="Workflow"
        description="Exported with “Export (API)”, with placeholders such as {{prompt}}."
        form={form}
        change={change}
      />
      <TextInput
        label="Frames per second"
        inputMode="decimal"
        w="10rem"
        value={form.fps}
        onChange={({ currentTarget: { value: fps } }) => change({ fps })}
      />
      <Checkbox.Group
        label="Models"
        value={[...form.workflowModels]}
        onChange={(chosen) => change({ workflowModels: chosen as ModelName[] })}
      >
        <Group gap="md" mt="xs">
          {modelNames.map((model) => (
            <Checkbox key={model} value={model} label={model} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  );
}

function JsonField(
  props: FieldsProps & { readonly label: string; readonly description: string },
): ReactNode {
  const { form, change, label, description } = props;
  return (
    <Textarea
      label={label}
      description={description}
      required
      minRows={6}
      maxRows={14}
      autosize
      styles={{ input: { fontFamily: 'monospace' } }}
      value={form.json}
      onChange={({ currentTarget: { value: json } }) => change({ json })}
    />
  );
}
