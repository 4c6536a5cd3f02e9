/** Splits code into tokens with their colors in both themes. Loaded only where code is shown. */
import { createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';

export type CodeLanguage = 'bash' | 'json' | 'typescript' | 'python' | 'text';

export type Token = {
  readonly content: string;
  /** Undefined where the token has the color of text. */
  readonly light: string | undefined;
  readonly dark: string | undefined;
};

const highlighter = createHighlighterCore({
  themes: [
    import('shiki/themes/github-light-high-contrast.mjs'),
    import('shiki/themes/github-dark-default.mjs'),
  ],
  langs: [
    import('shiki/langs/bash.mjs'),
    import('shiki/langs/json.mjs'),
    import('shiki/langs/typescript.mjs'),
    import('shiki/langs/python.mjs'),
  ],
  engine: createJavaScriptRegexEngine(),
});

export async function tokenize(code: string, language: CodeLanguage): Promise<Token[][]> {
  const { tokens } = (await highlighter).codeToTokens(code, {
    lang: language,
    themes: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
    defaultColor: false,
  });
  return tokens.map((line) =>
    line.map(({ content, htmlStyle = {} }) => ({
      content,
      light: htmlStyle['--shiki-light'],
      dark: htmlStyle['--shiki-dark'],
    })),
  );
}

/** A program in one language, as a tab shows it. */
export type Snippet = {
  /** The label of the tab, such as `cURL` or `AI SDK`. */
  readonly name: string;
  readonly language: CodeLanguage;
  readonly code: string;
};
