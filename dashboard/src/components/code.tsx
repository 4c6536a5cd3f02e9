/**
 * Texts to copy: IDs, and highlighted code. Code is rendered from text tokens, never from HTML, so
 * that a prompt in it cannot inject markup.
 */
import {
  ActionIcon,
  Button,
  Group,
  CopyButton as MantineCopyButton,
  Tabs,
  Text,
} from '@mantine/core';
import { CheckIcon, CopyIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, type ReactNode, useState } from 'react';
import classes from './code.module.css';
import type { CodeLanguage, Snippet, Token } from './highlight.ts';

export function Code(props: {
  readonly code: string;
  readonly language: CodeLanguage;
  /** Names the copied text in the label of the button. */
  readonly label?: string;
  readonly maxHeight?: number | string;
  /** Breaks long lines instead of scrolling. */
  readonly wrap?: true;
}) {
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

function renderLine(tokens: readonly Token[], line: number) {
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
}) {
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

const copiedMs = 2000;

/** Example: `<CopyButton value={task.id} label="task ID" />`. */
export function CopyButton(props: {
  readonly value: string;
  /** Completes the accessible name: "Copy task ID". */
  readonly label: string;
  /** Shows a button with this text instead of an icon. */
  readonly text?: string;
}) {
  const { value, label, text } = props;
  return (
    <MantineCopyButton value={value} timeout={copiedMs}>
      {({ copied, copy }) => {
        const icon = copied ? <CheckIcon aria-hidden /> : <CopyIcon aria-hidden />;
        if (text !== undefined) {
          return (
            <Button variant="default" size="xs" leftSection={icon} onClick={copy}>
              {copied ? 'Copied' : text}
            </Button>
          );
        }
        return (
          <ActionIcon
            variant="subtle"
            color={copied ? 'green' : 'gray'}
            size="sm"
            onClick={copy}
            title={copied ? undefined : `Copy ${label}`}
            aria-label={copied ? `Copied ${label}` : `Copy ${label}`}
          >
            {icon}
          </ActionIcon>
        );
      }}
    </MantineCopyButton>
  );
}

/** An ID or a URL in a monospace font with a copy button, truncated where it does not fit. */
export function Copyable(props: {
  readonly value: string;
  /** Names the value in the label of the button, such as "task ID". */
  readonly label: string;
  /** Shown instead of the value, which is still what is copied. */
  readonly displayValue?: ReactNode;
}) {
  const { value, label, displayValue } = props;
  return (
    <Group gap={4} wrap="nowrap" miw={0} maw="100%" display="inline-flex">
      <Text span ff="monospace" fz="sm" truncate title={value}>
        {displayValue ?? value}
      </Text>
      <CopyButton value={value} label={label} />
    </Group>
  );
}
