/** The options that a declared model has, and no other. */
import { NumberInput, Select, Stack, TextInput } from '@mantine/core';
import type { ModelOption } from '@vidgen/contract/model-declaration.ts';
import type { ReactNode } from 'react';
import { optionLabel } from '../components/format.tsx';
import type { FieldsProps } from './use-playground.ts';

type Value = string | number | boolean;

export function ModelOptions({ form, model, change, errorOf }: FieldsProps): ReactNode {
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
}): ReactNode {
  const { name, option, value, error, onChange } = props;
  const field = { label: optionLabel(name), 'data-field': `options.${name}`, error };
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
