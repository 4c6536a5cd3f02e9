/** Declares a model, or changes one: as a form, or as JSON. */
import {
  Checkbox,
  Group,
  Input,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { aspectRatios, generationTypes } from '@vidgen/contract/models.ts';
import { useState } from 'react';
import { patch, post } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { Disclosure } from '../components/disclosure.tsx';
import { toData } from '../components/filters.tsx';
import { Form, wholeNumber } from '../components/form.tsx';
import { Note } from '../components/text.tsx';
import { generationTypeLabels } from '../components/value-labels.ts';
import { refetchProviders } from '../providers/provider-queries.ts';
import { changeOf, type Declaration } from './declaration.ts';
import { JsonField } from './json-field.tsx';
import {
  declarationIn,
  formOf,
  formRules,
  type ModelForm,
  newModel,
  rangeIn,
} from './model-form.ts';
import { type FormProps, PriceFields } from './price-fields.tsx';

export function ModelEditor(props: {
  /** Null declares a new one. */
  readonly before: Declaration | null;
  onDone(): void;
}) {
  const { before, onDone } = props;
  const [view, setView] = useState('form');
  const [isUnreadable, setUnreadable] = useState(false);
  const { form, submit } = useApiForm<ModelForm>({
    initialValues: formOf(before ?? newModel),
    validate: formRules,
    async send(values) {
      const declared = declarationIn(values);
      const path = '/admin/models';
      if (before) {
        await patch(`${path}/${encodeURIComponent(before.name)}`, changeOf(before, declared));
      } else {
        await post(path, declared);
      }
      await refetchProviders();
      toast(before ? `Changed ${before.name}` : `Declared ${declared.name}`);
      onDone();
    },
  });
  return (
    <Form
      submit={submit}
      action={before ? 'Save model' : 'Declare model'}
      errorTitle={before ? 'Couldn’t change the model' : 'Couldn’t declare the model'}
      isDisabled={isUnreadable}
      onCancel={onDone}
    >
      <SegmentedControl
        aria-label="Edit as"
        data={toData({ form: 'Form', json: 'JSON' })}
        value={view}
        disabled={isUnreadable}
        onChange={setView}
      />
      {view === 'json' ? (
        <JsonField form={form} name={before?.name} onReadable={(is) => setUnreadable(!is)} />
      ) : (
        <Fields form={form} isNew={before === null} />
      )}
    </Form>
  );
}

const hiddenFields = [
  ...(['defaultResolution', 'aspectRatios', 'frames', 'references', 'seed', 'editing'] as const),
  ...(['promptCharactersMax', 'options', 'retires'] as const),
];

function Fields({ form, isNew }: FormProps & { readonly isNew: boolean }) {
  const of = form.getInputProps;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Name"
          description="What requests send as the model."
          placeholder="kling-3"
          required
          disabled={!isNew}
          {...of('name')}
        />
        <TextInput
          label="Title"
          description="For people. The name by default."
          placeholder="Kling 3"
          {...of('title')}
        />
      </SimpleGrid>
      <Checkbox.Group label="Generation types" required {...of('generationTypes')}>
        <Group gap="md" mt={6}>
          {generationTypes.map((type) => (
            <Checkbox key={type} value={type} label={generationTypeLabels[type]} />
          ))}
        </Group>
      </Checkbox.Group>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <TextInput
          label="Lengths in seconds"
          placeholder="3–15 or 4, 6, 8"
          required
          {...of('seconds')}
        />
        <NumberInput
          label="Default length"
          min={1}
          disabled={rangeIn(form.values.seconds) === null}
          {...wholeNumber}
          {...of('usualSeconds')}
        />
        <Select
          label="Sound"
          allowDeselect={false}
          data={toData({ optional: 'Optional', always: 'Always', never: 'Never' })}
          {...of('sound')}
        />
      </SimpleGrid>
      <PriceFields form={form} />
      <Disclosure
        label="Limits and options"
        isForced={hiddenFields.some((field) => form.errors[field] !== undefined)}
      >
        <Stack gap="sm">
          <LimitFields form={form} />
        </Stack>
      </Disclosure>
    </>
  );
}

const referenceLabels = {
  images: 'Images',
  videos: 'Videos',
  audios: 'Audio files',
  total: 'In total',
  secondsMax: 'Seconds of video',
} as const;

function LimitFields({ form }: FormProps) {
  const of = form.getInputProps;
  const { generationTypes: types, aspectRatios: ratios } = form.values;
  const flag = (name: 'frames' | 'seed' | 'references.audioAlone', label: string) => (
    <Checkbox label={label} {...of(name, { type: 'checkbox' })} />
  );
  return (
    <>
      {Array.isArray(ratios) ? (
        <MultiSelect
          label="Aspect ratios"
          placeholder={ratios.length === 0 ? 'All' : ''}
          data={[...aspectRatios]}
          {...of('aspectRatios')}
        />
      ) : (
        <Input.Wrapper label="Aspect ratios" error={form.errors.aspectRatios}>
          <Note>Set for each generation type. Change them as JSON.</Note>
        </Input.Wrapper>
      )}
      {types.includes('image-to-video') ? flag('frames', 'Takes a last frame') : null}
      {types.includes('reference-to-video') ? (
        <Input.Wrapper
          label="References, at most"
          labelElement="div"
          error={form.errors.references}
        >
          <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xs" mb="xs" data-path="references">
            {Object.entries(referenceLabels).map(([name, label]) => (
              <NumberInput
                key={name}
                label={label}
                {...wholeNumber}
                {...of(`references.${name}`)}
              />
            ))}
            <TextInput label="Edits videos of, in s" placeholder="4–30" {...of('editing')} />
          </SimpleGrid>
          {flag('references.audioAlone', 'Audio may be the only reference')}
        </Input.Wrapper>
      ) : null}
      {flag('seed', 'Takes a seed')}
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <TextInput
          label="Default resolution"
          placeholder="720p or the smallest"
          {...of('defaultResolution')}
        />
        <NumberInput
          label="Characters of a prompt"
          placeholder="10,000"
          {...wholeNumber}
          {...of('promptCharactersMax')}
        />
        <TextInput label="Retires" type="date" {...of('retires')} />
      </SimpleGrid>
      <Textarea
        label="Options"
        description="What requests may send in input.options, as JSON."
        placeholder='{"negative_prompt": {"type": "text", "max": 300}}'
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        styles={{ input: { fontFamily: 'monospace' } }}
        {...of('options')}
      />
    </>
  );
}
