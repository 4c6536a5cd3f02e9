/** Marks what the built-in preview made, so that it is not taken for a provider's video. */
import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

export function PreviewBadge({
  task,
}: {
  readonly task: { readonly preview: boolean };
}): ReactNode {
  if (!task.preview) return null;
  return (
    <Badge color="orange" title="Made by the built-in preview, not by a provider">
      Preview
    </Badge>
  );
}
