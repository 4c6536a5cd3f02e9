/**
 * Which part of the content an upstream refused, read from words of its own where no code tells.
 * What the words do not settle stays undefined: a customer is not sent to change the wrong thing.
 */
import type { RefusedPart } from '@vidgen/contract/failure-sentences.ts';

const inputWords: readonly (readonly [RefusedPart, RegExp])[] = [
  // "Try another prompt" is advice, not a verdict.
  ['prompt', /(?<!\b(another|different|other|new) )\bprompts?\b|\b(input|your) text\b/i],
  [
    'material',
    /\b(input|reference|uploaded|source|first|last)[ _-](image|video|audio|frame|file|ref)/i,
  ],
  ['input', /\binputs?\b|\byour request\b/i],
];
const outputWords =
  /\boutputs?\b|\b(generated|resulting|finished) (video|image|frame|audio|content)/i;

export type RefusedSituation = {
  /** Whether files were sent along: without any, only the prompt can have been refused. */
  readonly materials: boolean;
};

export function refusedPartIn(
  words: string,
  { materials }: RefusedSituation,
): RefusedPart | undefined {
  const input = inputWords.find(([, pattern]) => pattern.test(words))?.[0];
  const isOutput = outputWords.test(words);
  // "Input or output was flagged" settles nothing.
  if (input !== undefined && isOutput) return undefined;
  if (isOutput) return 'output';
  return input === undefined || materials ? input : 'prompt';
}

/** Refused before anything was made: whatever the words are, it was what the customer sent. */
export function refusedInputIn(words: string, situation: RefusedSituation): RefusedPart {
  const part = refusedPartIn(words, situation);
  if (part === 'prompt' || part === 'material') return part;
  return situation.materials ? 'input' : 'prompt';
}

/** As a field of a failure, which has none where nobody tells. */
export const refusedField = (part: RefusedPart | undefined): { readonly refused?: RefusedPart } =>
  part === undefined ? {} : { refused: part };
