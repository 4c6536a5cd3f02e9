/**
 * Highlighted code with a copy button. Rendered from text tokens, never from HTML, so that a prompt
 * in it cannot inject markup.
 */
import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, type ReactNode, useState } from 'react';
import classes from './code.module.css';
import { CopyButton } from './copy-button.tsx';
import type { CodeLanguage, Snippet, Token } from './highlight.ts';

export function Code(props: {
  readonly code: string;
  readonly language: CodeLanguage;
  /** Names the copied text in the label of the button. */
  readonly label?: string;
  readonly maxHeight?: number | string;
  /** Breaks long lines instead of scrolling. */
  readonly wrap?: true;
}): ReactNode {
  const { code, language, label = 'code', maxHeight, wrap } = props;
  const { data: lines } = useQuery({
    queryKey: ['tokens', language, code],
    queryFn: async () => await (await import('./highlight.ts')).tokenize(code, language),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    // Without tokens, the code is shown as plain text.
    retry: false,
  });
  return (
    <div className={classes.frame}>
      <pre
        className={`${classes.code} ${wrap ? classes.wrapped : ''}`}
        style={maxHeight === undefined ? undefined : { maxHeight }}
        // A scrolling region must be reachable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the region scrolls
        tabIndex={0}
      >
        <code>{lines ? lines.map(renderLine) : code}</code>
      </pre>
      <div className={classes.copy}>
        <CopyButton value={code} label={label} />
      </div>
    </div>
  );
}

function renderLine(tokens: readonly Token[], line: number): ReactNode {
  return (
    <span key={line}>
      {line > 0 ? '\n' : ''}
      {tokens.map(({ content, light, dark }, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other identity
          key={index}
          className={light ? classes.token : undefined}
          style={
            light ? ({ '--token-light': light, '--token-dark': dark } as CSSProperties) : undefined
          }
        >
          {content}
        </span>
      ))}
    </span>
  );
}

/** One request in several languages. */
export function CodeTabs(props: {
  readonly snippets: readonly Snippet[];
  readonly maxHeight?: number | string;
}): ReactNode {
  const { snippets, maxHeight } = props;
  const [selected, select] = useState('');
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
