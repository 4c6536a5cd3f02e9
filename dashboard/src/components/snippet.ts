/** A program in one language, as a tab shows it. */
import type { CodeLanguage } from './highlight.ts';

export type Snippet = {
  /** The label of the tab, such as `cURL` or `AI SDK`. */
  readonly name: string;
  readonly language: CodeLanguage;
  readonly code: string;
};
