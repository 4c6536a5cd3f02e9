/** The switches of the form, the options of a declared model, and the advanced fields. */
import { NumberInput, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import type { ModelOption } from '@vidgen/contract/model-declaration.ts';
import { Disclosure } from '../components/disclosure.tsx';
import { fieldLabel } from '../components/value-labels.ts';
import { fieldsOf, type GenerationForm } from './generation-form.ts';
import type { FieldsProps } from './use-playground.ts';

type SwitchName = 'generateAudio' | 'returnLastFrame' | 'watermark' | 'webSearch';

const switches: readonly (readonly [name: SwitchName, label: string])[] = [
  ['generateAudio', 'Audio'],
  ['returnLastFrame', 'Save last frame'],
  ['watermark', 'Watermark'],
  ['webSearch', 'Web search'],
];

/** The form has what the model makes anyway. */
const soundProps = {
  optional: { label: 'Audio' },
  always: { label: 'Audio (always)', disabled: true },
  never: { label: 'Audio (not supported)', disabled: true },
};

export function OptionFields(props: FieldsProps) {
  const { form, model, change } = props;
  return (
    <Stack gap="sm">
      <ModelOptions {...props} />
      <SimpleGrid cols={2} spacing="sm" verticalSpacing={10}>
        {switches.map(([name, label]) => (
          <Switch
            key={name}
            {...(name === 'generateAudio' ? soundProps[model.sound] : { label })}
            checked={form[name]}
            onChange={({ currentTarget: { checked } }) => change({ ...form, [name]: checked })}
          />
        ))}
      </SimpleGrid>
      <AdvancedFields {...props} />
    </Stack>
  );
}

const isUsed = ({ seed, callbackUrl }: GenerationForm): boolean =>
  seed !== null || callbackUrl !== '';

function AdvancedFields({ form, model, change, errorOf }: FieldsProps) {
  const { seed } = fieldsOf(model, form);
  const hasError = errorOf('seed') !== null || errorOf('callback_url') !== null;
  return (
    <Disclosure label="Advanced" startsOpen={isUsed(form)} isForced={hasError}>
      <Stack gap="sm">
        {seed === null ? null : (
          <NumberInput
            data-field="seed"
            label="Seed"
            description="Reuse a seed to get a similar video. Leave empty for random."
            placeholder="Random"
            min={seed.min}
            allowDecimal={false}
            allowNegative={false}
            value={form.seed ?? ''}
            error={errorOf('seed')}
            onValueChange={({ floatValue }, { source }) => {
              if (source !== 'prop') change({ ...form, seed: floatValue ?? null });
            }}
          />
        )}
        <TextInput
          data-field="callback_url"
          label="Webhook URL"
          description="We’ll send a signed request when the task completes or fails."
          placeholder="https://example.com/hooks/vidgen"
          type="url"
          inputMode="url"
          value={form.callbackUrl}
          error={errorOf('callback_url')}
          onChange={({ currentTarget: { value } }) => change({ ...form, callbackUrl: value })}
        />
      </Stack>
    </Disclosure>
  );
}

type Value = string | number | boolean;

function ModelOptions({ form, model, change, errorOf }: FieldsProps) {
  const names = Object.keys(model.options);
  if (names.length === 0) return null;
  const set = (name: string, value: Value | null) => {
    const { [name]: _, ...others } = form.options;
    change({ ...form, options: value === null ? others : { ...others, [name]: value } });
  };
  return (
    <Stack gap="sm">
      {names.map((name) => (
        <OptionField
          key={name}
          name={name}
          option={model.options[name]!}
          value={form.options[name] ?? null}
          error={errorOf(`options.${name}`)}
          onChange={(value) => set(name, value)}
        />
      ))}
    </Stack>
  );
}

function OptionField(props: {
  readonly name: string;
  readonly option: ModelOption;
  /** Null: not sent, so that the provider’s default applies. */
  readonly value: Value | null;
  readonly error: string | null;
  onChange(value: Value | null): void;
}) {
  const { name, option, value, error, onChange } = props;
  const field = { label: fieldLabel(name), 'data-field': `options.${name}`, error };
  if (option.type === 'text') {
    return (
      <TextInput
        {...field}
        maxLength={option.max}
        value={String(value ?? '')}
        onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
      />
    );
  }
  if (option.type === 'number') {
    return (
      <NumberInput
        {...field}
        description={`${option.min} to ${option.max}`}
        value={typeof value === 'number' ? value : ''}
        onValueChange={({ floatValue }, { source }) => {
          if (source !== 'prop') onChange(floatValue ?? null);
        }}
      />
    );
  }
  const isFlag = option.type === 'boolean';
  return (
    <Select
      {...field}
      clearable
      placeholder="Default"
      data={isFlag ? flags : option.values}
      value={value === null ? null : String(value)}
      onChange={(chosen) => onChange(isFlag && chosen !== null ? chosen === 'true' : chosen)}
    />
  );
}

const flags = [
  { value: 'true', label: 'On' },
  { value: 'false', label: 'Off' },
];
