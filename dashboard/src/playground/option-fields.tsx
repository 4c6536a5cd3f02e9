/** The switches of the form and its advanced fields, seed and callback URL. */
import { NumberInput, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Disclosure } from '../components/disclosure.tsx';
import { fieldsOf, type GenerationForm } from './generation-form.ts';
import { ModelOptions } from './model-options.tsx';
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

export function OptionFields(props: FieldsProps): ReactNode {
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

function AdvancedFields({ form, model, change, errorOf }: FieldsProps): ReactNode {
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
