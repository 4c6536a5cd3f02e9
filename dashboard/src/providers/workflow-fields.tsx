/** The workflows of a ComfyUI server: what was exported, and the models that each is for. */
import { Anchor, Button, Checkbox, Code, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { Fragment, type ReactNode } from 'react';
import { buildUrl } from '../api/client.ts';
import { FieldGroup } from '../components/form.tsx';
import { SmallNote } from '../components/text.tsx';
import { emptyWorkflow, type WorkflowForm, workflowHints } from './connect-request.ts';
import type { FieldsProps } from './model-fields.tsx';

const placeholders = [
  ...['prompt', 'width', 'height', 'frames', 'seconds', 'fps', 'seed', 'first_frame'],
  ...['last_frame', 'image_1', 'video_1', 'audio_1', 'sound'],
];

export function WorkflowFields(props: FieldsProps & { readonly hint: string | undefined }) {
  const { form, known, change, hint } = props;
  const { workflows } = form;
  const hints = workflowHints(hint, form);
  const set = (at: number, changed: Partial<WorkflowForm>) =>
    change({ workflows: workflows.with(at, { ...workflows[at]!, ...changed }) });
  return (
    <Stack gap="md">
      <SmallNote>
        Export each workflow with “Export (API)” and put placeholders into its inputs:{' '}
        {placeholders.map((name) => (
          <Fragment key={name}>
            <Code fz="xs">{`{{${name}}}`}</Code>{' '}
          </Fragment>
        ))}
        <DocsLink page="providers#comfyui-kind-comfyui">What each one means</DocsLink>
      </SmallNote>
      {workflows.map((workflow, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: workflows have no other identity
        <FieldGroup key={at} legend={workflows.length === 1 ? 'Workflow' : `Workflow ${at + 1}`}>
          <JsonField
            label="Exported JSON"
            json={workflow.json}
            error={hints[at]}
            onChange={(json) => set(at, { json })}
          />
          <Group gap="sm" align="flex-end">
            <TextInput
              label="Frames per second"
              inputMode="decimal"
              w="9rem"
              value={workflow.fps}
              onChange={({ currentTarget: { value: fps } }) => set(at, { fps })}
            />
            <TextInput
              label="Output node"
              placeholder="The only one"
              w="9rem"
              value={workflow.outputNode}
              onChange={({ currentTarget: { value: outputNode } }) => set(at, { outputNode })}
            />
            {workflows.length === 1 ? null : (
              <Button
                variant="default"
                onClick={() => change({ workflows: workflows.toSpliced(at, 1) })}
              >
                Remove workflow
              </Button>
            )}
          </Group>
          <Checkbox.Group
            label="Models"
            value={[...workflow.models]}
            onChange={(models) => set(at, { models })}
          >
            <Group gap="md" mt="xs">
              {known.installed.map((model) => (
                <Checkbox key={model} value={model} label={model} />
              ))}
            </Group>
          </Checkbox.Group>
        </FieldGroup>
      ))}
      <Button
        variant="default"
        leftSection={<PlusIcon aria-hidden />}
        style={{ alignSelf: 'flex-start' }}
        onClick={() => change({ workflows: [...workflows, emptyWorkflow(known)] })}
      >
        Add workflow
      </Button>
    </Stack>
  );
}

/** A link to a page of the documentation, in a tab of its own: the form stays as it is. */
export const DocsLink = (props: { readonly page: string; readonly children: ReactNode }) => (
  <Anchor href={buildUrl(`/docs/${props.page}`)} target="_blank" fz="inherit">
    {props.children}
  </Anchor>
);

export function JsonField(props: {
  readonly label: string;
  readonly description?: ReactNode;
  readonly json: string;
  readonly error: string | undefined;
  readonly isOptional?: boolean;
  onChange(json: string): void;
}) {
  const { json, onChange, isOptional = false, ...field } = props;
  return (
    <Textarea
      {...field}
      required={!isOptional}
      minRows={isOptional ? 2 : 6}
      maxRows={14}
      autosize
      spellCheck={false}
      styles={{ input: { fontFamily: 'monospace' } }}
      value={json}
      onChange={({ currentTarget: { value } }) => onChange(value)}
    />
  );
}
