/**
 * Why a task failed, for the person who paid for it: what happened, where the credits are, and what
 * to do. Written here and nowhere else: an upstream's words are for operators.
 */
import { z } from 'zod';
import { type BillingStatus, type FailedReason, failedReasons } from './task-status.ts';

/** What was refused. `input`: something the customer sent, and nobody tells what of it. */
export const rejectedParts = ['prompt', 'material', 'input', 'output'] as const;
export type RejectedPart = (typeof rejectedParts)[number];

export const TaskFailureView = z
  .object({
    reason: z.enum(failedReasons),
    part: z
      .enum(rejectedParts)
      .nullable()
      .describe(
        'With `provider_rejected`, where the provider tells: the `prompt`, a referenced file ' +
          '(`material`), one of both (`input`), or the finished video (`output`).',
      ),
    sentence: z.string().describe('What happened, where the credits are and what to do.'),
  })
  .meta({ id: 'FailureShown' });
export type TaskFailureView = z.infer<typeof TaskFailureView>;

type FailureText = { readonly what: string; readonly advice: string };

const rejected: Readonly<Record<RejectedPart | 'unspecified', FailureText>> = {
  prompt: {
    what: 'The generator refused the prompt because of its content.',
    advice: 'Reword the prompt and create the task again; the same words will be refused again.',
  },
  material: {
    what: 'The generator refused one of the referenced files because of its content.',
    advice:
      'Replace the file and create the task again; people who can be recognised, and ' +
      'brands, are common causes.',
  },
  input: {
    what: 'The generator refused the prompt or one of the referenced files because of its content.',
    advice: 'Reword the prompt or replace the files, and create the task again.',
  },
  output: {
    what: 'The video was made, but the generator held it back because of what it shows.',
    advice:
      'Create the task again: another try can pass. If it is held back again, reword the ' +
      'prompt.',
  },
  unspecified: {
    what: 'The generator refused the content, and did not say whether the request or the video.',
    advice: 'Reword the prompt or replace the files, and create the task again.',
  },
};

const otherFailures: Readonly<Record<Exclude<FailedReason, 'provider_rejected'>, FailureText>> = {
  provider_failed: {
    what: 'The generator could not make this video. Nothing is said against its content.',
    advice: 'Create the task again. If it fails again, try other settings, or ask us with its id.',
  },
  material_unavailable: {
    what: 'One of the referenced files could not be fetched or read.',
    advice:
      'Check that each address opens without a login and holds a file of an allowed kind ' +
      'and size, then create the task again.',
  },
  timed_out: {
    what: 'The video was not finished in time.',
    advice: 'Create the task again; shorter videos and lower resolutions take less time.',
  },
  cancelled: {
    what: 'The task was cancelled before it was finished.',
    advice: 'Create it again if you still want the video.',
  },
  internal_error: {
    what: 'A fault on our side ended the task.',
    advice: 'Create the task again. If it fails again, ask us with its id.',
  },
};

/** What became of the reservation; a refund that was not booked is settled by a person. */
export type RefundState = {
  readonly billingStatus: BillingStatus;
  readonly refundOutcome: 'refunded' | 'written_off' | null;
};

function creditsMessage({ billingStatus, refundOutcome }: RefundState): string {
  if (billingStatus === 'refunded') return 'Your credits were returned.';
  return refundOutcome === 'written_off'
    ? 'The credits were not returned: this was decided by hand.'
    : 'Your credits could not be returned yet: this is being settled by hand.';
}

export function failureMessage(
  failure: { readonly reason: FailedReason; readonly part: RejectedPart | null } & RefundState,
): string {
  const { reason, part } = failure;
  const { what, advice } =
    reason === 'provider_rejected' ? rejected[part ?? 'unspecified'] : otherFailures[reason];
  return `${what} ${creditsMessage(failure)} ${advice}`;
}
