/** Where files are dropped or chosen. Files can be dropped anywhere on the form; this says so. */
import { FileButton, UnstyledButton } from '@mantine/core';
import { UploadIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import type { FieldsProps } from './fields-props.ts';
import type { FormType } from './generation-form.ts';
import classes from './playground.module.css';

const texts: Readonly<Record<FormType, string>> = {
  'text-to-video': 'Drop an image here to animate it',
  'image-to-video': 'Drop one or two images here',
  'reference-to-video': 'Drop images, videos or audio here',
  'video-editing': 'Drop the video to edit here',
};

export function DropZone({
  type,
  onFiles,
}: {
  readonly type: FormType;
  readonly onFiles: NonNullable<FieldsProps['onFiles']>;
}): ReactNode {
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
