/**
 * Two slow kinds that the automaton does not show: an optional part that is repeated a fixed number
 * of times (`(?:a?){22}`), and a loop in a lookbehind, which starts again at every position.
 */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/** Of an optional part: each doubles the ways to match. */
const optionalRepeatsMax = 8;

export function slowRepeatOf({
  source,
  flags,
}: {
  readonly source: string;
  readonly flags: string;
}): 'exponential' | 'quadratic' | null {
  const isUnicode = flags.includes('u');
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: isUnicode,
    unicodeSets: flags.includes('v'),
  });
  let found: 'exponential' | 'quadratic' | null = null;
  let lookbehinds = 0;
  visitRegExpAST(pattern, {
    onQuantifierEnter({ max, element }) {
      if (max > optionalRepeatsMax && max !== Number.POSITIVE_INFINITY && isOptional(element)) {
        found = 'exponential';
      }
      if (lookbehinds > 0 && max === Number.POSITIVE_INFINITY) found ??= 'quadratic';
    },
    onAssertionEnter({ kind }) {
      if (kind === 'lookbehind') lookbehinds += 1;
    },
    onAssertionLeave({ kind }) {
      if (kind === 'lookbehind') lookbehinds -= 1;
    },
  });
  return found;
}

/** Whether it can match nothing. */
function isOptional(element: AST.Element): boolean {
  switch (element.type) {
    case 'Quantifier':
      return element.min === 0 || isOptional(element.element);
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.some(({ elements }) => elements.every(isOptional));
    case 'Assertion':
    case 'Backreference':
      return true;
    default:
      return false;
  }
}
