/** The header of a page: title, description and actions. Also sets the title of the browser tab. */
import { Box, Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Note } from './texts.tsx';

export function PageHeader(props: {
  readonly title: ReactNode;
  readonly description?: ReactNode;
  /** Shown at the right. */
  readonly actions?: ReactNode;
  /** The title of the browser tab, when it differs from the title or the title is not a string. */
  readonly tabTitle?: string;
}): ReactNode {
  const { title, description, actions, tabTitle } = props;
  const name = tabTitle ?? (typeof title === 'string' ? title : undefined);
  return (
    <Group className="page-header" justify="space-between" align="flex-start" gap="sm">
      {name === undefined ? null : <title>{`${name} · vidgen`}</title>}
      <Box miw={0} flex="1 1 18rem">
        <Title order={1} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {description === undefined ? null : (
          <Note mt={4} maw="44rem">
            {description}
          </Note>
        )}
      </Box>
      {actions === undefined ? null : <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
