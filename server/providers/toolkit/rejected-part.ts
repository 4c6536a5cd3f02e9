/**
 * Which part of the content an upstream rejected, read from its message where no error code says
 * it. An ambiguous message yields undefined, so that no customer is told to change the wrong part.
 */
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { ProviderFailure } from '../provider.ts';

const inputPatterns: readonly (readonly [RejectedPart, RegExp])[] = [
  // "Try another prompt" is advice and does not say that the prompt was rejected.
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
  /** Whether files were sent; without any, a rejected input is the prompt. */
  readonly materials: boolean;
};

export function rejectedPartIn(
  message: string,
  { materials }: RejectionContext,
): RejectedPart | undefined {
  const input = inputPatterns.find(([, pattern]) => pattern.test(message))?.[0];
  const isOutput = outputPattern.test(message);
  // "Input or output was flagged" is ambiguous.
  if (input !== undefined && isOutput) return undefined;
  if (isOutput) return 'output';
  return input === undefined || materials ? input : 'prompt';
}

/** For a start: nothing was generated yet, so the customer's input was rejected. */
export function rejectedInputIn(message: string, context: RejectionContext): RejectedPart {
  const part = rejectedPartIn(message, context);
  if (part === 'prompt' || part === 'material') return part;
  return context.materials ? 'input' : 'prompt';
}

/** `part` is kept for rejections only. */
export const failureOf = (
  reason: ProviderFailure['reason'],
  detail: string,
  part?: RejectedPart | undefined,
): ProviderFailure => ({
  reason,
  detail,
  ...(reason === 'rejected' && part !== undefined ? { rejectedPart: part } : {}),
});

const moderationTerm = /\b(moderation|guardrails?|safety|content policy|nsfw)\b/i;

/**
 * Whether a message has a moderation term and a verb, in any order. The term alone is not enough:
 * "the safety checker could not be loaded" is not a rejection.
 */
export const isRejection = (message: string, verb: RegExp): boolean =>
  moderationTerm.test(message) && verb.test(message);
