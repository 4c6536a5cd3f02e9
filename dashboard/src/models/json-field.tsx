/** A declaration as JSON, to copy and to paste. */
import { Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../components/code.tsx';
import { jsonOf, readDeclaration } from './declaration.ts';
import { declarationIn, formOf } from './model-form.ts';
import type { FormProps } from './price-fields.tsx';

/** Typing and pasting fill the form, where it is readable. */
export function JsonField(
  props: FormProps & { readonly name: string | undefined; onReadable(is: boolean): void },
) {
  const { form, name, onReadable } = props;
  const [text, setText] = useState(() => jsonOf(declarationIn(form.values)));
  const [unreadable, setUnreadable] = useState<string | null>(null);
  const change = (next: string) => {
    setText(next);
    try {
      const { declared, errors } = readDeclaration(next);
      form.setValues(formOf(name === undefined ? declared : { ...declared, name }));
      form.setErrors(errors);
      setUnreadable(null);
      onReadable(Object.keys(errors).length === 0);
    } catch (error) {
      setUnreadable(String(error instanceof Error ? error.message : error));
      onReadable(false);
    }
  };
  const problems = Object.entries(form.errors).map(([field, problem]) => (
    <span key={field} style={{ display: 'block' }}>
      <b>{field}</b>: {problem}
    </span>
  ));
  return (
    <Stack gap="xs">
      <Textarea
        label="Declaration"
        description="As in vidgen.config.ts and POST /admin/models. Paste one to fill the form."
        autosize
        minRows={12}
        maxRows={24}
        spellCheck={false}
        styles={{ input: { fontFamily: 'monospace' } }}
        value={text}
        error={unreadable ?? (problems.length > 0 ? problems : null)}
        onChange={({ currentTarget: { value } }) => change(value)}
      />
      <Group>
        <CopyButton value={text} label="declaration" text="Copy as JSON" />
      </Group>
    </Stack>
  );
}
