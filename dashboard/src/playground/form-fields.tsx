/** The playground's form. Files can be dropped anywhere on it or pasted into the prompt. */
import {
  Button,
  Chip,
  FileButton,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  UnstyledButton,
} from '@mantine/core';
import { UploadIcon } from '@radix-ui/react-icons';
import { shotsBefore } from '@vidgen/contract/story.ts';
import { type ClipboardEvent, type DragEvent, type ReactNode, useState } from 'react';
import { useMode } from '../api/session.ts';
import { formatNumber, SmallNote } from '../components/text.tsx';
import { type FormType, fieldsOf, isOfOneVideo } from './generation-form.ts';
import { isContinuation } from './generation-request.ts';
import { MaterialFields } from './material-fields.tsx';
import { OptionFields } from './option-fields.tsx';
import classes from './playground.module.css';
import { SettingsFields } from './settings-fields.tsx';
import { type FieldsProps, isLargeScreen } from './use-playground.ts';

const typeLabels: Readonly<Record<FormType, string>> = {
  'text-to-video': 'Text',
  'image-to-video': 'Image',
  'reference-to-video': 'Reference',
  'video-editing': 'Edit',
  'video-extension': 'Extend',
};
const typeDescriptions: Readonly<Record<FormType, string>> = {
  'text-to-video': 'Generate a video from a text prompt.',
  'image-to-video': 'Animate an image.',
  'reference-to-video': 'Use images, videos or audio as references.',
  'video-editing': 'Edit a video with a prompt. Length and aspect ratio stay the same.',
  'video-extension': 'Describe what happens next. The new video begins where this one ends.',
};

export function FormFields(props: FieldsProps & { readonly submit: ReactNode }) {
  const { form, model, pickType, onFiles } = props;
  const fields = fieldsOf(model, form);
  const takesFiles = fields.types.some((type) => type !== 'text-to-video');
  const hasVideo = isOfOneVideo(form.type) && form.videos.length > 0;
  const { isDragged, ...dropHandlers } = useFileDrop(onFiles);
  return (
    <Paper
      withBorder
      p="md"
      className={`${classes.form} ${isDragged ? classes.dropTarget : ''}`}
      {...dropHandlers}
    >
      <Stack gap="lg">
        <PromptField {...props} />
        <div data-field="generation_type">
          {fields.types.length === 1 ? null : (
            <SegmentedControl
              fullWidth
              className={classes.types ?? ''}
              aria-label="Generation type"
              value={form.type}
              onChange={(type) => pickType(type as FormType)}
              data={fields.types.map((type) => ({ value: type, label: typeLabels[type] }))}
            />
          )}
          <SmallNote mt={6}>
            {typeDescriptions[form.type]}
            {form.type === 'image-to-video' && fields.materials.images > 1
              ? ' Add a second image to set the last frame.'
              : null}
          </SmallNote>
        </div>
        {onFiles === null || !takesFiles || hasVideo ? null : (
          <DropZone type={form.type} onFiles={onFiles} />
        )}
        <StoryNote {...props} />
        <MaterialFields {...props} />
        <SettingsFields {...props} />
        <OptionFields {...props} />
        {props.submit}
      </Stack>
    </Paper>
  );
}

/** The share of the limit from which the character count is shown. */
const countShownFrom = 0.8;

const promptHints: Partial<Record<FormType, string>> = {
  'video-editing': 'Describe the change',
  'video-extension': 'Describe what happens next',
};

function PromptField({ form, model, change, errorOf, onFiles }: FieldsProps) {
  const isTest = useMode() === 'test';
  const max = model.prompt_characters_max;
  // Code points, like the service.
  const characters = Array.from(form.prompt.trim()).length;
  const paste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0 || onFiles === null) return;
    event.preventDefault();
    onFiles(files);
  };
  return (
    <div data-field="prompt">
      <Textarea
        label="Prompt"
        placeholder={promptHints[form.type] ?? 'Describe your video'}
        autosize
        minRows={4}
        maxRows={14}
        autoFocus={isLargeScreen && form.prompt === ''}
        value={form.prompt}
        error={errorOf('prompt')}
        onPaste={paste}
        onChange={({ currentTarget: { value } }) => change({ ...form, prompt: value })}
      />
      {isTest ? (
        <TestMarks prompt={form.prompt} onChange={(prompt) => change({ ...form, prompt })} />
      ) : null}
      {characters > countShownFrom * max ? (
        <Text fz="xs" c="dimmed" ta="right" mt={4} style={{ fontVariantNumeric: 'tabular-nums' }}>
          {formatNumber(characters)} of {formatNumber(max)} characters
        </Text>
      ) : null}
    </div>
  );
}

/** Counts enter and leave events: entering a child fires a leave event on its parent. */
function useFileDrop(onFiles: FieldsProps['onFiles']) {
  const [depth, setDepth] = useState(0);
  const hasFiles = (event: DragEvent) =>
    onFiles !== null && event.dataTransfer.types.includes('Files');
  return {
    isDragged: depth > 0,
    onDragEnter: (event: DragEvent) => hasFiles(event) && setDepth((count) => count + 1),
    onDragLeave: (event: DragEvent) =>
      hasFiles(event) && setDepth((count) => Math.max(0, count - 1)),
    onDragOver: (event: DragEvent) => hasFiles(event) && event.preventDefault(),
    onDrop: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDepth(0);
      onFiles?.([...event.dataTransfer.files]);
    },
  };
}

const texts: Readonly<Record<FormType, string>> = {
  'text-to-video': 'Drop an image here to animate it',
  'image-to-video': 'Drop images here',
  'reference-to-video': 'Drop references here',
  'video-editing': 'Drop the video to edit here',
  'video-extension': 'Drop the video to extend here',
};

/** Where files are dropped or chosen. Files can be dropped anywhere on the form; this says so. */
function DropZone(props: {
  readonly type: FormType;
  readonly onFiles: NonNullable<FieldsProps['onFiles']>;
}) {
  const { type, onFiles } = props;
  return (
    <FileButton multiple accept="image/*,video/*,audio/*" onChange={onFiles}>
      {(button) => (
        <UnstyledButton {...button} className={classes.dropZone}>
          <UploadIcon aria-hidden />
          <span>
            {texts[type]}, or <u>browse files</u>
          </span>
        </UnstyledButton>
      )}
    </FileButton>
  );
}

const marks = [
  { mark: '[test:fail]', label: 'Fails' },
  { mark: '[test:reject]', label: 'Is rejected' },
  { mark: '[test:timeout]', label: 'Times out after 5 s' },
  { mark: '[test:slow]', label: 'Takes 60 s' },
] as const;

/** Marks that force the outcome of a task in test mode, as chips that put them into the prompt. */
function TestMarks(props: { readonly prompt: string; onChange(prompt: string): void }) {
  const { prompt, onChange } = props;
  // Only the first mark counts, so a new one replaces the others.
  const bare = marks.reduce((text, { mark }) => text.replaceAll(mark, ''), prompt).trimEnd();
  return (
    <Group gap={6} mt={8} role="group" aria-label="Test outcome">
      <SmallNote>Simulate:</SmallNote>
      {marks.map(({ mark, label }) => (
        <Chip
          key={mark}
          size="xs"
          checked={prompt.includes(mark)}
          onChange={(isChosen) => onChange(isChosen ? `${bare} ${mark}`.trimStart() : bare)}
        >
          {label}
        </Chip>
      ))}
    </Group>
  );
}

/** Says in the playground's form which shot of a story it creates. */
function StoryNote({ form, change }: Pick<FieldsProps, 'form' | 'change'>) {
  if (!isContinuation(form)) return null;
  const shots = shotsBefore({ continues: form.continues }).length;
  return (
    <Group gap="xs">
      <Text fz="sm" flex="1 1 16rem">
        {`Shot ${shots + 1} of a story. Begins on the last frame of shot ${shots}. ` +
          'Keep the model and resolution to download the story as one file.'}
      </Text>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        flex="none"
        onClick={() => change({ ...form, continues: '' })}
      >
        Remove from story
      </Button>
    </Group>
  );
}
