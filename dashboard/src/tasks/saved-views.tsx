/** Named task filters, stored in this browser. */
import { ActionIcon, Button, Group, Menu, Text, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { BookmarkIcon, TrashIcon } from '@radix-ui/react-icons';
import { type FormEvent, type ReactNode, useState } from 'react';
import { toast } from '../components/toast.ts';
import { readTasksSearch, type TasksSearch } from './tasks-search.ts';

type View = { readonly name: string; readonly search: TasksSearch };

const noViews: readonly View[] = [];

const defaultViews: readonly View[] = [
  { name: 'All tasks', search: {} },
  { name: 'In progress', search: { status: 'generating' } },
  { name: 'Failed', search: { status: 'failed' } },
];

export function SavedViews(props: {
  readonly search: TasksSearch;
  onChoose(search: TasksSearch): void;
}): ReactNode {
  const { search, onChoose } = props;
  const [savedViews, storeViews] = useLocalStorage({
    key: 'vidgen.task-views',
    defaultValue: noViews,
    getInitialValueInEffect: false,
    deserialize: readViews,
  });
  const [name, setName] = useState('');
  const deleteView = (view: View) => {
    storeViews(savedViews.filter((one) => one !== view));
    toast(`Deleted ${view.name}`, { undo: () => storeViews(savedViews) });
  };
  const saveView = (event: FormEvent) => {
    event.preventDefault();
    const trimmedName = name.trim();
    if (trimmedName === '') return;
    storeViews([
      ...savedViews.filter((view) => view.name !== trimmedName),
      { name: trimmedName, search },
    ]);
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
        {defaultViews.map((view) => (
          <Menu.Item key={view.name} onClick={() => onChoose(view.search)}>
            {view.name}
          </Menu.Item>
        ))}
        {savedViews.length > 0 ? <Menu.Label>Saved views</Menu.Label> : null}
        {savedViews.map((view) => (
          <Group key={view.name} gap={4} wrap="nowrap">
            <Menu.Item onClick={() => onChoose(view.search)}>{view.name}</Menu.Item>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Delete ${view.name}`}
              onClick={() => deleteView(view)}
            >
              <TrashIcon aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Menu.Divider />
        <form onSubmit={saveView}>
          <Group gap="xs" p="xs" wrap="nowrap" align="flex-end">
            <TextInput
              size="xs"
              flex={1}
              label={<Text fz="xs">Save current filters as</Text>}
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              onKeyDown={(event) => event.stopPropagation()}
            />
            <Button size="xs" type="submit" disabled={name.trim() === ''}>
              Save
            </Button>
          </Group>
        </form>
      </Menu.Dropdown>
    </Menu>
  );
}

function readViews(text = ''): readonly View[] {
  try {
    const views = JSON.parse(text) as Partial<View>[];
    return views.flatMap(({ name, search }) =>
      typeof name === 'string' ? [{ name, search: readTasksSearch({ ...search }) }] : [],
    );
  } catch {
    return noViews;
  }
}
