/**
 * Which part of the content an upstream refused, read from words of its own where no code tells.
 * What the words do not settle stays undefined: a customer is not sent to change the wrong thing.
 */
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';

const inputPatterns: readonly (readonly [RejectedPart, RegExp])[] = [
  // "Try another prompt" is advice, not a verdict.
  ['prompt', /(?<!\b(another|different|other|new) )\bprompts?\b|\b(input|your) text\b/i],
  [
    'material',
    /\b(input|reference|uploaded|source|first|last)[ _-](image|video|audio|frame|file|ref)/i,
  ],
  ['input', /\binputs?\b|\byour request\b/i],
];
const outputPattern =
  /\boutputs?\b|\b(generated|resulting|finished) (video|image|frame|audio|content)/i;

export type RejectionContext = {
  /** Whether files were sent along: without any, only the prompt can have been refused. */
  readonly materials: boolean;
};

export function rejectedPartIn(
  message: string,
  { materials }: RejectionContext,
): RejectedPart | undefined {
  const input = inputPatterns.find(([, pattern]) => pattern.test(message))?.[0];
  const isOutput = outputPattern.test(message);
  // "Input or output was flagged" settles nothing.
  if (input !== undefined && isOutput) return undefined;
  if (isOutput) return 'output';
  return input === undefined || materials ? input : 'prompt';
}

/** Refused before anything was made: whatever the words are, it was what the customer sent. */
export function rejectedInputIn(message: string, context: RejectionContext): RejectedPart {
  const part = rejectedPartIn(message, context);
  if (part === 'prompt' || part === 'material') return part;
  return context.materials ? 'input' : 'prompt';
}

/** As a field of a failure, which has none where nobody tells. */
export const rejectedPartField = (
  part: RejectedPart | undefined,
): { readonly rejectedPart?: RejectedPart } => (part === undefined ? {} : { rejectedPart: part });
