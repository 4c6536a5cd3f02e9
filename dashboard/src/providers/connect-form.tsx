/** The second step of connecting a provider: name, key, base URL and models. */
import {
  Alert,
  Button,
  Checkbox,
  Group,
  PasswordInput,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import {
  kindDescriptions,
  type ProviderKind,
  type ProviderPreset,
} from '@vidgen/contract/provider-kinds.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Form } from '../components/form.tsx';
import { useAsyncAction } from '../components/use-async-action.ts';
import {
  type ConnectForm as Connection,
  connectRequestOf,
  declarationAt,
  emptyForm,
  type Known,
  missingModels,
  ownDescription,
  presetFields,
  presetOf,
} from './connect-request.ts';
import { type FieldsProps, ModelFields, ModelPrices, PresetModels } from './model-fields.tsx';
import { refetchProviders } from './provider-queries.ts';

export function ConnectForm(props: {
  readonly kind: ProviderKind;
  readonly known: Known;
  onBack(): void;
  onConnected(provider: ProviderHealth): void;
}): ReactNode {
  const { kind, known, onBack, onConnected } = props;
  const [form, setForm] = useState(() => emptyForm(kind, known));
  const [connected, setConnected] = useState<ProviderHealth | null>(null);
  const change: FieldsProps['change'] = (changed) =>
    setForm((before) => ({ ...before, ...changed }));
  const missing = missingModels(form, known);
  const submit = useAsyncAction(async () => {
    const declarations = missing.map((model) => declarationAt(model, form.prices));
    const free = declarations.filter(({ resolutions }) => Object.keys(resolutions).length === 0);
    if (free.length > 0) throw new Error(`Enter a price for ${namesOf(free)}.`);
    const request = connectRequestOf(form);
    const provider = connected ?? (await post<ProviderHealth>('/admin/providers', request));
    try {
      for (const declaration of declarations) await post('/admin/models', declaration);
      onConnected(provider);
    } catch (error) {
      setConnected(provider);
      throw error;
    } finally {
      // What is declared by now is not missing any more.
      await refetchProviders();
    }
  });
  if (connected !== null) {
    return (
      <Form
        submit={submit}
        action="Declare and continue"
        errorTitle="Couldn’t declare the model"
        cancel="Skip"
        onCancel={() => onConnected(connected)}
      >
        <Alert color="yellow" title={`${connected.name} is connected`}>
          {missing.length > 0
            ? `Not declared yet: ${namesOf(missing)}. Check the price and declare the rest.`
            : 'All its models are declared.'}
        </Alert>
        {missing.map((model) => (
          <ModelPrices key={model.name} model={model} form={form} change={change} />
        ))}
      </Form>
    );
  }
  const isOwn = kind === 'declared' && form.preset === ownDescription;
  return (
    <form onSubmit={submit.run}>
      <Stack gap="md">
        {kind === 'declared' ? <PresetSelect form={form} known={known} change={change} /> : null}
        <TextInput
          label="Name"
          description="Tasks and logs show it. It can’t be changed later."
          required
          maxLength={32}
          value={form.name}
          onChange={({ currentTarget: { value: name } }) => change({ name })}
        />
        <ConnectionFields form={form} known={known} change={change} />
        {kind === 'comfyui' ? <WorkflowFields form={form} known={known} change={change} /> : null}
        {isOwn ? (
          <JsonField
            label="Description"
            description="JSON with the settings of a declared provider, as in docs/providers.md."
            form={form}
            change={change}
          />
        ) : null}
        {kind === 'declared' ? <PresetModels form={form} known={known} change={change} /> : null}
        {kind === 'comfyui' || isOwn ? null : (
          <ModelFields form={form} known={known} change={change} />
        )}
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

const namesOf = (models: readonly { readonly name: string }[]): string =>
  new Intl.ListFormat('en').format(models.map(({ name }) => name));

function PresetSelect({ form, known, change }: FieldsProps): ReactNode {
  return (
    <Select
      label="API"
      data={[
        ...known.presets.map(({ preset, label }) => ({ value: preset, label })),
        { value: ownDescription, label: 'Your own description' },
      ]}
      value={form.preset}
      onChange={(value) =>
        value === ownDescription
          ? change({ preset: value, name: 'custom' })
          : change(presetFields(value as ProviderPreset, known))
      }
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
function baseUrlExample(form: Connection, known: Known): string | undefined {
  const { kind } = form;
  if (kind === 'declared') return presetOf(form, known)?.base_url ?? undefined;
  if (kindDescriptions[kind].baseUrl === null) return undefined;
  return kind === 'comfyui' ? 'http://10.0.0.7:8188' : 'http://10.0.0.7:8000/v1';
}

function ConnectionFields({ form, known, change }: FieldsProps): ReactNode {
  const { key } = kindDescriptions[form.kind];
  const example = baseUrlExample(form, known);
  return (
    <>
      {form.kind === 'openai-videos' ? (
        <Select
          label="Server"
          data={dialectOptions}
          value={form.dialect}
          onChange={(dialect) => change({ dialect: dialect as Connection['dialect'] })}
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

function WorkflowFields({ form, known, change }: FieldsProps): ReactNode {
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
          {known.installed.map((model) => (
            <Checkbox key={model} value={model} label={model} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  );
}

function JsonField(
  props: Omit<FieldsProps, 'known'> & { readonly label: string; readonly description: string },
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
