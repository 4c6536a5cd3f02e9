/** Filters under a name, remembered by this browser; the address stays the way to share them. */
import { ActionIcon, Button, Group, Menu, Text, TextInput } from '@mantine/core';
import { BookmarkIcon, TrashIcon } from '@radix-ui/react-icons';
import { type FormEvent, type ReactNode, useState } from 'react';
import { rememberedValue } from '../api/remembered.ts';
import { announce } from '../components/announce.ts';
import { readTasksSearch, type TasksSearch } from './tasks-search.ts';

type View = { readonly name: string; readonly search: TasksSearch };

const memory = rememberedValue<readonly View[]>('task-views', readViews, JSON.stringify);

/** What everybody wants to see sooner or later. */
const usual: readonly View[] = [
  { name: 'All tasks', search: {} },
  { name: 'In progress', search: { status: 'generating' } },
  { name: 'Failed', search: { status: 'failed' } },
];

export function SavedViews(props: {
  readonly search: TasksSearch;
  onChoose(search: TasksSearch): void;
}): ReactNode {
  const { search, onChoose } = props;
  const [own, setOwn] = useState<readonly View[]>(() => memory.get() ?? []);
  const [name, setName] = useState('');
  const keep = (views: readonly View[]) => {
    memory.set(views);
    setOwn(views);
  };
  const forget = (view: View) => {
    keep(own.filter((one) => one !== view));
    announce(`${view.name} is forgotten`, { undo: () => keep(own) });
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const named = name.trim();
    if (named === '') return;
    keep([...own.filter((view) => view.name !== named), { name: named, search }]);
    setName('');
  };
  return (
    <Menu position="bottom-end" width={260} closeOnItemClick>
      <Menu.Target>
        <Button variant="default" leftSection={<BookmarkIcon aria-hidden />}>
          Views
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {usual.map((view) => (
          <Menu.Item key={view.name} onClick={() => onChoose(view.search)}>
            {view.name}
          </Menu.Item>
        ))}
        {own.length > 0 ? <Menu.Label>Yours</Menu.Label> : null}
        {own.map((view) => (
          <Group key={view.name} gap={4} wrap="nowrap">
            <Menu.Item onClick={() => onChoose(view.search)}>{view.name}</Menu.Item>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Forget ${view.name}`}
              onClick={() => forget(view)}
            >
              <TrashIcon aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Menu.Divider />
        <form onSubmit={save}>
          <Group gap="xs" p="xs" wrap="nowrap" align="flex-end">
            <TextInput
              size="xs"
              flex={1}
              label={<Text fz="xs">Keep these filters as</Text>}
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              onKeyDown={(event) => event.stopPropagation()}
            />
            <Button size="xs" type="submit" disabled={name.trim() === ''}>
              Keep
            </Button>
          </Group>
        </form>
      </Menu.Dropdown>
    </Menu>
  );
}

function readViews(text: string): readonly View[] | null {
  try {
    const views = JSON.parse(text) as Partial<View>[];
    return views.flatMap(({ name, search }) =>
      typeof name === 'string' ? [{ name, search: readTasksSearch({ ...search }) }] : [],
    );
  } catch {
    return null;
  }
}
