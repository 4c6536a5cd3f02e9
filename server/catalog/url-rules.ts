/** Messages about an invalid URL. Whether a URL is allowed is decided by `egress`. */

import { formatValue } from '@vidgen/contract/format-value.ts';
import type { Problem } from '@vidgen/contract/problem.ts';
import { textProblem } from '@vidgen/contract/text.ts';
import { type CheckUrl, ruleProblem } from './draft.ts';

export function urlProblems(
  url: string,
  {
    path,
    kind,
    checkUrl,
  }: {
    readonly path: string;
    readonly kind: 'callback' | 'material';
    readonly checkUrl: CheckUrl;
  },
): Problem[] {
  const problem = textProblem(url);
  if (problem !== null) return [ruleProblem(path, problem)];
  const checked = checkUrl(url, kind);
  if (checked.ok) return [];
  return [ruleProblem(path, `${checked.rule} (got ${formatValue(redactPassword(url))})`)];
}

/** Messages are logged, so a user name and password in a URL must not be part of them. */
const redactPassword = (url: string): string => url.replace(/^([^/?#]*\/\/)[^/?#]*@/, '$1…@');
