/**
 * The images, videos and audio files of a request, by URL or as uploads, in the order of the
 * request.
 */
import { Button, FileButton, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Disclosure } from '../components/disclosure.tsx';
import { SmallNote } from '../components/text.tsx';
import { fieldOfList } from './form-problems.ts';
import { fieldsOf, isOfOneVideo, type MaterialList, materialLists } from './generation-form.ts';
import { MaterialCard, UploadCard } from './material-card.tsx';
import classes from './playground.module.css';
import type { FieldsProps } from './use-playground.ts';

const labels = { images: 'Images', videos: 'Videos', audios: 'Audio' } as const;
const slotLabels = { 'video-editing': 'Video to edit', 'video-extension': 'Video to extend' };
const acceptedTypes = { images: 'image/*', videos: 'video/*', audios: 'audio/*' } as const;
const nouns = { images: 'an image', videos: 'a video', audios: 'an audio file' } as const;

export function MaterialFields(props: FieldsProps) {
  const { model, form } = props;
  const { materials } = fieldsOf(model, form);
  const { total_max: total } = model.reference_to_video;
  const lists = materialLists.filter((list) => materials[list] > 0);
  if (lists.length === 0) return null;
  const field = (list: MaterialList) => (
    <MaterialListField key={list} {...props} list={list} max={materials[list]} />
  );
  if (isOfOneVideo(form.type)) {
    const others = lists.filter((list) => list !== 'videos');
    const isUsed = others.some((list) => form[list].length > 0);
    return (
      <Stack gap="sm">
        {field('videos')}
        {others.length === 0 ? null : (
          <Disclosure label="Add references" isForced={isUsed}>
            <Stack gap="lg">{others.map(field)}</Stack>
          </Disclosure>
        )}
      </Stack>
    );
  }
  return (
    <Stack gap="lg">
      {lists.map(field)}
      {total === null || form.type === 'image-to-video' ? null : (
        <SmallNote>{`At most ${total} ${total === 1 ? 'file' : 'files'} in all.`}</SmallNote>
      )}
    </Stack>
  );
}

function MaterialListField({
  list,
  max,
  ...props
}: FieldsProps & { readonly list: MaterialList; readonly max: number }) {
  const { form, change, errorOf, uploads, onFiles, taskId } = props;
  const urls = form[list];
  const running = uploads.running.filter((one) => one.list === list);
  const isFrames = form.type === 'image-to-video';
  // One file, for which the form has a drop zone.
  const slotLabel = list === 'videos' && isOfOneVideo(form.type) ? slotLabels[form.type] : null;
  const isSlot = slotLabel !== null;
  const error = errorOf(fieldOfList[list]);
  const set = (next: readonly string[]) => change({ ...form, [list]: next });
  return (
    <fieldset className={classes.fieldset} data-field={fieldOfList[list]}>
      <Text component="legend" fz="sm" fw={500} mb={6} p={0}>
        {isFrames ? 'Frames' : (slotLabel ?? labels[list])}
        {isSlot ? null : (
          <Text span c="dimmed" fz="xs" fw={400} ml={8}>
            {`${urls.length} of ${max}`}
          </Text>
        )}
      </Text>
      {urls.length + running.length > 0 ? (
        <div className={classes.materials}>
          {urls.map((url, index) => (
            <MaterialCard
              // biome-ignore lint/suspicious/noArrayIndexKey: a URL may occur twice
              key={`${index} ${url}`}
              url={url}
              list={list}
              name={isFrames ? frameName(index) : null}
              fileName={uploads.names.get(url) ?? null}
              taskImage={
                list === 'images' && taskId !== null ? { taskId, number: index + 1 } : null
              }
              onEarlier={index === 0 ? null : () => set(moveEarlier(urls, index))}
              onRemove={() => set(urls.filter((_, position) => position !== index))}
            />
          ))}
          {running.map((one) => (
            <UploadCard key={one.id} upload={one} onDismiss={() => uploads.dismiss(one.id)} />
          ))}
        </div>
      ) : null}
      {urls.length + running.length < (isSlot ? 1 : max) ? (
        <AddMaterial
          list={list}
          label={isFrames && urls.length === 0 ? 'the first frame' : nouns[list]}
          onAdd={(added) => set([...urls, ...added])}
          onFiles={isSlot ? null : onFiles}
        />
      ) : null}
      {error ? <Input.Error mt={6}>{error}</Input.Error> : null}
    </fieldset>
  );
}

const frameName = (index: number): string => (index === 0 ? 'First frame' : 'Last frame');

function moveEarlier(urls: readonly string[], index: number): string[] {
  const moved = [...urls];
  moved.splice(index - 1, 0, ...moved.splice(index, 1));
  return moved;
}

function AddMaterial(props: {
  readonly list: MaterialList;
  readonly label: string;
  onAdd(urls: readonly string[]): void;
  readonly onFiles: FieldsProps['onFiles'];
}) {
  const { list, label, onAdd, onFiles } = props;
  const [input, setInput] = useState('');
  const add = (text: string) => {
    const urls = text.split(/\s+/).filter(Boolean);
    if (urls.length === 0) return;
    onAdd(urls);
    setInput('');
  };
  return (
    <Group gap="xs" wrap="nowrap">
      <TextInput
        flex={1}
        miw={0}
        aria-label={`URL of ${label}`}
        placeholder={`Paste the URL of ${label}`}
        type="url"
        inputMode="url"
        value={input}
        onChange={({ currentTarget: { value } }) => setInput(value)}
        onBlur={() => add(input)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          add(input);
        }}
      />
      {onFiles === null ? null : (
        <FileButton multiple accept={acceptedTypes[list]} onChange={(files) => onFiles(files)}>
          {(button) => (
            <Button variant="default" {...button} aria-label={`Browse for ${label}`}>
              Browse
            </Button>
          )}
        </FileButton>
      )}
    </Group>
  );
}
