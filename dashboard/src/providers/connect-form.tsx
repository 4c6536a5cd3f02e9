/** Name, key, address and models of a provider, which is connected or corrected with them. */
import { Alert, Checkbox, PasswordInput, Select, TextInput } from '@mantine/core';
import type { ProviderConnection } from '@vidgen/contract/admin-providers.ts';
import {
  kindDescriptions,
  type ProviderKind,
  type ProviderPreset,
} from '@vidgen/contract/provider-kinds.ts';
import { useState } from 'react';
import { patch, post } from '../api/client.ts';
import { useAsyncAction } from '../components/action.ts';
import { Form } from '../components/form.tsx';
import { ErrorNotice } from '../components/states.tsx';
import {
  type ConnectForm as Connection,
  changeRequestOf,
  connectRequestOf,
  declarationAt,
  emptyForm,
  formOf,
  hintsOf,
  type Known,
  missingModels,
  ownDescription,
  presetFields,
  presetOf,
} from './connect-request.ts';
import { type FieldsProps, ModelFields, ModelPrices, PresetModels } from './model-fields.tsx';
import { refetchProviders } from './provider-queries.ts';
import { DocsLink, JsonField, WorkflowFields } from './workflow-fields.tsx';

export function ConnectForm(props: {
  readonly kind: ProviderKind;
  readonly known: Known;
  /** Of a provider that is corrected. */
  readonly existing?: ProviderConnection;
  /** The label of the button. */
  readonly action: string;
  onBack?(): void;
  onConnected(name: string): void;
}) {
  const { kind, known, existing, action, onBack, onConnected } = props;
  const [form, setForm] = useState(() =>
    existing ? formOf(existing, known) : emptyForm(kind, known),
  );
  const [connected, setConnected] = useState<string | null>(null);
  const [isDialed, setDialed] = useState(true);
  const change: FieldsProps['change'] = (changed) =>
    setForm((before) => ({ ...before, ...changed }));
  const missing = missingModels(form, known);
  const submit = useAsyncAction(async () => {
    const declarations = missing.map((model) => declarationAt(model, form.prices));
    const free = declarations.filter(({ resolutions }) => Object.keys(resolutions).length === 0);
    if (free.length > 0) throw new Error(`Enter a price for ${namesOf(free)}.`);
    if (connected === null) await save(form, { isNew: !existing, dial: isDialed });
    const { name } = connectRequestOf(form);
    try {
      for (const declaration of declarations) await post('/admin/models', declaration);
      onConnected(name);
    } catch (error) {
      setConnected(name);
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
        <Alert color="yellow" title={`${connected} is connected`}>
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
  const { '': rest, ...hints } = hintsOf(submit.error);
  const isSilent = [hints.base_url, hints.declaration].some((hint) => hint?.includes(noAnswer));
  const fields = { form, known, change };
  return (
    <Form
      submit={rest === undefined ? { ...submit, error: null } : submit}
      action={action}
      errorTitle={existing ? 'Couldn’t save the connection' : 'Couldn’t connect the provider'}
      cancel="Back"
      {...(onBack ? { onCancel: onBack } : {})}
    >
      {kind === 'declared' && !existing ? <PresetSelect {...fields} /> : null}
      {existing ? null : (
        <TextInput
          label="Name"
          description="Tasks and logs show it. It can’t be changed later."
          required
          maxLength={32}
          value={form.name}
          error={hints.name}
          onChange={({ currentTarget: { value: name } }) => change({ name })}
        />
      )}
      <ConnectionFields {...fields} hints={hints} isKeyKept={existing !== undefined} />
      {isSilent ? (
        <Checkbox
          label="Save it anyway: the server isn’t running yet"
          checked={!isDialed}
          onChange={({ currentTarget }) => setDialed(!currentTarget.checked)}
        />
      ) : null}
      {kind === 'comfyui' ? <WorkflowFields {...fields} hint={hints.workflows} /> : null}
      {isOwn ? (
        <JsonField
          label="Description"
          description={
            <>
              JSON with the settings of a{' '}
              <DocsLink page="providers#describe-an-upstream-by-data-kind-declared">
                declared provider
              </DocsLink>
              .
            </>
          }
          json={form.json}
          error={hints.declaration}
          onChange={(json) => change({ json })}
        />
      ) : null}
      {kind === 'declared' ? <PresetModels form={form} known={known} change={change} /> : null}
      {kind === 'comfyui' || isOwn ? null : (
        <ModelFields form={form} known={known} change={change} />
      )}
      {existing ? (
        <JsonField
          label="Costs"
          description={
            <>
              What it bills, as JSON such as <code>{'{ "perUnit": 0.02 }'}</code>:{' '}
              <DocsLink page="margin#set-it-up">all settings</DocsLink>.
            </>
          }
          isOptional
          json={form.costs}
          error={hints.costs}
          onChange={(costs) => change({ costs })}
        />
      ) : null}
      {hints.models === undefined ? null : (
        <ErrorNotice error={new Error(hints.models)} title="Models" />
      )}
    </Form>
  );
}

/** In the message of an address that was dialed in vain. */
const noAnswer = 'a server that answers';

/** Dials an address that was typed in, so that a typo shows at its field. */
async function save(
  form: Connection,
  { isNew, dial }: { readonly isNew: boolean; readonly dial: boolean },
): Promise<void> {
  const request = connectRequestOf(form);
  const dialed = { dial: dial && (form.baseUrl !== '' || request.declaration !== undefined) };
  if (isNew) return void (await post('/admin/providers', { ...request, ...dialed }));
  const path = `/admin/providers/${request.name}`;
  await patch(path, { ...changeRequestOf(form), ...dialed });
  const { api_key } = request;
  if (api_key !== undefined) await post(`${path}/key`, { api_key });
}

const namesOf = (models: readonly { readonly name: string }[]): string =>
  new Intl.ListFormat('en').format(models.map(({ name }) => name));

function PresetSelect({ form, known, change }: FieldsProps) {
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

function ConnectionFields(
  props: FieldsProps & {
    readonly hints: Readonly<Record<string, string>>;
    readonly isKeyKept: boolean;
  },
) {
  const { form, known, change, hints, isKeyKept } = props;
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
          error={hints.base_url}
          onChange={({ currentTarget: { value } }) => change({ baseUrl: value })}
        />
      )}
      <PasswordInput
        label="API key"
        description={
          isKeyKept
            ? 'Leave empty to keep the one that is saved.'
            : 'Encrypted. You can replace it, but never see it again.'
        }
        autoComplete="off"
        data-1p-ignore
        required={key === 'required' && !isKeyKept}
        value={form.apiKey}
        error={hints.api_key}
        onChange={({ currentTarget: { value: apiKey } }) => change({ apiKey })}
      />
    </>
  );
}
