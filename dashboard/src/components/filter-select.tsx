/** A filter with a few fixed values. */
import { Select } from '@mantine/core';
import type { ReactNode } from 'react';

export function FilterSelect<Value extends string>(props: {
  readonly label: string;
  /** Shown without a value, such as "Any status". */
  readonly placeholder: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value | undefined;
  onChange(value: Value | undefined): void;
  readonly width?: number;
}): ReactNode {
  const { label, placeholder, options, value, onChange, width = 140 } = props;
  return (
    <Select
      size="xs"
      w={width}
      aria-label={label}
      placeholder={placeholder}
      clearable
      data={options}
      value={value ?? null}
      onChange={(chosen) => onChange((chosen as Value | null) ?? undefined)}
    />
  );
}
