/** The same request in several languages; the one chosen is remembered, and chosen everywhere. */
import { Tabs } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';
import { preferences } from '../api/preferences.ts';
import { Code } from './code.tsx';
import classes from './code-tabs.module.css';
import type { CodeLanguage } from './highlight.ts';

export type Snippet = {
  /** As on the tab: `cURL`, `TypeScript`, `Python`, `CLI`, `AI SDK`. */
  readonly name: string;
  readonly language: CodeLanguage;
  readonly code: string;
};

let listeners: (() => void)[] = [];

function selectLanguage(name: string): void {
  preferences.language.set(name);
  for (const listener of listeners) listener();
}

function useLanguage(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners = [...listeners, listener];
      return () => {
        listeners = listeners.filter((one) => one !== listener);
      };
    },
    () => preferences.language.get(),
  );
}

export function CodeTabs({
  snippets,
  maxHeight,
}: {
  readonly snippets: readonly Snippet[];
  readonly maxHeight?: number | string;
}): ReactNode {
  const selected = useLanguage();
  const value = snippets.find(({ name }) => name === selected)?.name ?? snippets[0]?.name ?? null;
  return (
    <Tabs
      value={value}
      onChange={(name) => name && selectLanguage(name)}
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
