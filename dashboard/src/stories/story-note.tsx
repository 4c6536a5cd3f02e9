/** Says in the playground's form which shot of a story it creates. */
import { Button, Group, Text } from '@mantine/core';
import { shotsBefore } from '@vidgen/contract/story.ts';
import type { ReactNode } from 'react';
import type { FieldsProps } from '../playground/fields-props.ts';
import { isContinuation } from '../playground/generation-request.ts';

export function StoryNote({ form, change }: Pick<FieldsProps, 'form' | 'change'>): ReactNode {
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
