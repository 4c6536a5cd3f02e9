/** The search field of a list. What is typed takes effect after a short pause. */
import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { type ReactNode, useEffect, useState } from 'react';

const pauseMs = 250;

export function SearchInput(props: {
  /** The accessible name, such as "Search accounts". */
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  onChange(value: string | undefined): void;
  /** Returns true if it has handled the pasted text, which then is not put into the field. */
  onPaste?(text: string): boolean;
}): ReactNode {
  const { label, placeholder, value = '', onChange, onPaste } = props;
  const [text, setText] = useState(value);
  // The back button and "Clear filters" change the value from outside.
  useEffect(() => setText(value), [value]);
  const send = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), pauseMs);
  const change = (next: string) => {
    setText(next);
    send(next);
  };
  return (
    <TextInput
      size="xs"
      flex="1 1 14rem"
      maw="24rem"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<MagnifyingGlassIcon aria-hidden />}
      rightSection={
        text === '' ? null : (
          <CloseButton size="xs" aria-label="Clear search" onClick={() => change('')} />
        )
      }
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onPaste={(event) => {
        if (onPaste?.(event.clipboardData.getData('text').trim())) event.preventDefault();
      }}
    />
  );
}
