/** The request of a task: prompt, settings and materials. */
import { Alert, Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { InfoCircledIcon } from '@radix-ui/react-icons';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { continuesKey, shotsBefore } from '@vidgen/contract/story.ts';
import { Fragment, useEffect, useState } from 'react';
import { buildUrl } from '../api/client.ts';
import { fetchFile } from '../api/files.ts';
import { useAsyncAction } from '../components/action.ts';
import { Copyable, CopyButton } from '../components/code.tsx';
import { type DescriptionItem, DescriptionList, SectionCard } from '../components/page.tsx';
import { Label, ModelName, SmallNote } from '../components/text.tsx';
import { fieldLabel, generationTypeLabels } from '../components/value-labels.ts';
import classes from './task-inputs.module.css';

export function TaskInputs({ task }: { readonly task: AdminTaskDetail }) {
  const { input } = task.request;
  const yesNo = (value: boolean | undefined) => (value ? 'Yes' : 'No');
  return (
    <SectionCard title="Request">
      <Stack gap="sm">
        <Group align="flex-start" wrap="nowrap" gap="xs">
          <Text fz="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} flex={1}>
            {input.prompt}
          </Text>
          <CopyButton value={input.prompt} label="prompt" />
        </Group>
        <IgnoredFields task={task} />
        <Materials task={task} />
        <DescriptionList
          items={[
            ['Model', <ModelName key="model" name={task.model} />],
            ['Type', generationTypeLabels[input.generation_type ?? 'text-to-video']],
            ['Duration', task.duration < 0 ? 'Same as source' : `${task.duration} s`],
            ['Resolution', task.resolution],
            ['Aspect ratio', ratioLabel(input.aspect_ratio)],
            ['Audio', yesNo(input.generate_audio)],
            ['Watermark', yesNo(input.watermark)],
            ['Web search', yesNo(input.web_search)],
            ['Save last frame', yesNo(input.return_last_frame)],
            ['Seed', input.seed === undefined || input.seed < 0 ? 'Random' : String(input.seed)],
            ...Object.entries(input.options ?? {}).map(
              ([name, value]) => [fieldLabel(name), String(value)] as const,
            ),
            [
              'Webhook URL',
              task.callback_url === null ? (
                '–'
              ) : (
                <Copyable key="webhook" value={task.callback_url} label="webhook URL" />
              ),
            ],
            ['Created by', creatorOf(task)],
            ...requestIdItems(task),
          ]}
        />
        <TaskMetadata metadata={task.metadata} />
      </Stack>
    </SectionCard>
  );
}

/** The customer's own pairs, as text. */
function TaskMetadata({ metadata }: Pick<AdminTaskDetail, 'metadata'>) {
  // The shots before are shown as a story.
  const isShot = shotsBefore(metadata).length > 0;
  const pairs = Object.entries(metadata ?? {}).filter(([key]) => key !== continuesKey || !isShot);
  if (pairs.length === 0) return null;
  return (
    <div>
      <Label mb={4}>Metadata</Label>
      <DescriptionList items={pairs} />
    </div>
  );
}

const creatorOf = ({ created_by: person, key }: AdminTaskDetail): string =>
  person === null ? `${key.name} …${key.last_four}` : `${person} (playground)`;

const ratioLabel = (ratio = 'adaptive'): string => (ratio === 'adaptive' ? 'Adaptive' : ratio);

/** Older tasks have no request ID. */
const requestIdItems = ({ request_id: id }: AdminTaskDetail): DescriptionItem[] =>
  id === null ? [] : [['Request ID', <Copyable key="request" value={id} label="request ID" />]];

function Materials({ task }: { readonly task: AdminTaskDetail }) {
  const {
    image_urls: images = [],
    video_urls: videos = [],
    audio_urls: audios = [],
  } = task.request.input;
  if (task.generation_type === 'text-to-video') return null;
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xs">
        {images.map((url, index) => (
          <MaterialImage
            // biome-ignore lint/suspicious/noArrayIndexKey: an image may occur twice
            key={index}
            url={url}
            name={`Image ${index + 1}`}
            source={buildUrl(`/admin/tasks/${task.id}/materials/images/${index + 1}`)}
          />
        ))}
      </SimpleGrid>
      {videos.map((url, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a video may occur twice
        <Recording key={index} task={task.id} kind="video" url={url} number={index + 1} />
      ))}
      {audios.map((url, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a file may occur twice
        <Recording key={index} task={task.id} kind="audio" url={url} number={index + 1} />
      ))}
    </Stack>
  );
}

/**
 * Plays a video or an audio file. It is loaded on request and as a whole, through the service,
 * because the page must not load from other hosts.
 */
function Recording(props: {
  readonly task: string;
  readonly kind: 'video' | 'audio';
  readonly url: string;
  readonly number: number;
}) {
  const { task, kind, url, number } = props;
  const [source, setSource] = useState<string | null>(null);
  const load = useAsyncAction(async () => {
    const path = `/admin/tasks/${task}/materials/${kind}s/${number}`;
    setSource(URL.createObjectURL(await fetchFile(buildUrl(path), `the ${kind}`)));
  });
  useEffect(() => () => void (source && URL.revokeObjectURL(source)), [source]);
  const name = `${kind === 'video' ? 'Video' : 'Audio'} ${number}`;
  const media = { src: source ?? '', controls: true, autoPlay: true, 'aria-label': name };
  return (
    <Stack gap={4}>
      <Group gap="xs" wrap="nowrap">
        <SmallNote>{name}</SmallNote>
        <Text fz="xs" truncate flex={1} title={url}>
          {url}
        </Text>
        {source === null ? (
          <Button
            size="compact-xs"
            variant="default"
            loading={load.isPending}
            onClick={load.run}
            aria-label={`Play ${name.toLowerCase()}`}
          >
            Play
          </Button>
        ) : null}
        <CopyButton value={url} label={`${name.toLowerCase()} URL`} />
      </Group>
      {load.error ? (
        <Text role="alert" fz="xs" c="red">
          {load.error.message}
        </Text>
      ) : null}
      {source === null ? null : kind === 'video' ? (
        <video className={classes.recording} playsInline muted {...media} />
      ) : (
        <audio className={classes.recording} {...media} />
      )}
    </Stack>
  );
}

/** Loads the image through the service, because the page must not load from other hosts. */
function MaterialImage(props: {
  readonly url: string;
  readonly name: string;
  readonly source: string;
}) {
  const [hasFailed, setFailed] = useState(false);
  return (
    <figure className={classes.figure ?? ''}>
      {hasFailed ? (
        <SmallNote p="xs">Preview unavailable</SmallNote>
      ) : (
        <img
          src={props.source}
          alt={props.name}
          loading="lazy"
          onError={() => setFailed(true)}
          className={classes.image ?? ''}
        />
      )}
      <figcaption className={classes.caption ?? ''}>
        <Text fz="xs" truncate title={props.url}>
          {props.name}
        </Text>
        <CopyButton value={props.url} label={`${props.name.toLowerCase()} URL`} />
      </figcaption>
    </figure>
  );
}

/** Names the fields of a task's request that its generation type does not use. */
export function IgnoredFields({ task }: { readonly task: AdminTaskDetail }) {
  // A process of the version before sends no list.
  if (!task.ignored?.length) return null;
  return (
    <Alert color="yellow" title="Some fields were ignored" icon={<InfoCircledIcon aria-hidden />}>
      {task.ignored.map((path, index) => (
        <Fragment key={path}>
          {index === 0 ? null : ', '}
          <Code>{path}</Code>
        </Fragment>
      ))}
      {` ${task.ignored.length === 1 ? 'has' : 'have'} no effect when `}
      <Code>generation_type</Code>
      {` is ${task.generation_type}${defaultNote(task)}.`}
    </Alert>
  );
}

/** A request without the field gets this type, which surprises most. */
const defaultNote = ({ generation_type: type }: AdminTaskDetail): string =>
  type === 'text-to-video' ? ', the default' : '';
