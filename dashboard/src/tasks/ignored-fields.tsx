/** Names the fields of a task's request that its generation type does not use. */
import { Alert, Code } from '@mantine/core';
import { InfoCircledIcon } from '@radix-ui/react-icons';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { Fragment, type ReactNode } from 'react';

export function IgnoredFields({ task }: { readonly task: AdminTaskDetail }): ReactNode {
  // A process of the version before sends no list.
  if (!task.ignored?.length) return null;
  return (
    <Alert
      color="yellow"
      variant="light"
      title="Some fields were ignored"
      icon={<InfoCircledIcon aria-hidden />}
    >
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
