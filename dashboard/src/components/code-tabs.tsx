/** One request in several languages. The selected language is remembered and shared by all tabs. */
import { Tabs } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Code } from './code.tsx';
import classes from './code-tabs.module.css';
import type { Snippet } from './snippet.ts';

export function CodeTabs({
  snippets,
  maxHeight,
}: {
  readonly snippets: readonly Snippet[];
  readonly maxHeight?: number | string;
}): ReactNode {
  const [selected, select] = useLocalStorage({
    key: 'vidgen.language',
    defaultValue: '',
    getInitialValueInEffect: false,
    serialize: String,
    deserialize: String,
  });
  const value = snippets.find(({ name }) => name === selected)?.name ?? snippets[0]?.name ?? null;
  return (
    <Tabs
      value={value}
      onChange={(name) => name && select(name)}
      variant="default"
      w="100%"
      miw={0}
    >
      <Tabs.List mb="xs">
        {snippets.map(({ name }) => (
          <Tabs.Tab key={name} value={name} className={classes.tab ?? ''}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, language, code }) => (
        <Tabs.Panel key={name} value={name}>
          {name === value ? (
            <Code
              code={code}
              language={language}
              label={`${name} snippet`}
              {...(maxHeight === undefined ? {} : { maxHeight })}
            />
          ) : null}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
