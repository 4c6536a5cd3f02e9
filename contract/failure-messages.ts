/**
 * Why a task failed, for the customer: what happened, where the credits are, and what to do. All of
 * the text is written here; messages of an upstream are shown to admins only.
 */
import { z } from 'zod';
import { type BillingStatus, type FailedReason, failedReasons } from './task-status.ts';

/**
 * What was rejected. `input`: something the customer sent, without details from the provider.
 * `settings`: the duration or aspect ratio, which contradict what the prompt asks for.
 */
export const rejectedParts = ['prompt', 'material', 'input', 'output', 'settings'] as const;
export type RejectedPart = (typeof rejectedParts)[number];

export const TaskFailureView = z
  .object({
    reason: z.enum(failedReasons),
    part: z
      .enum(rejectedParts)
      .nullable()
      .describe(
        'With `provider_rejected`, where the provider tells: the `prompt`, a referenced file ' +
          '(`material`), one of both (`input`), the finished video (`output`), or a duration or ' +
          'aspect ratio that contradicts the prompt (`settings`).',
      ),
    sentence: z.string().describe('What happened, where the credits are and what to do.'),
  })
  .meta({ id: 'FailureShown' });
export type TaskFailureView = z.infer<typeof TaskFailureView>;

type FailureText = { readonly what: string; readonly advice: string };

const rejected: Readonly<Record<RejectedPart | 'unspecified', FailureText>> = {
  prompt: {
    what: 'The provider rejected the prompt because of its content.',
    advice: 'Change the prompt and try again.',
  },
  material: {
    what: 'The provider rejected one of your files because of its content.',
    advice: 'Replace the file and try again. Recognizable people and brands are common causes.',
  },
  input: {
    what: 'The provider rejected the prompt or one of your files because of its content.',
    advice: 'Change the prompt or the files and try again.',
  },
  output: {
    what: 'The video was generated, but the provider blocked it because of its content.',
    advice: 'Try again; results vary. If it’s blocked again, change the prompt.',
  },
  settings: {
    what: 'The provider rejected the duration or aspect ratio because it doesn’t fit the prompt.',
    advice:
      'To edit or extend a video, set the aspect ratio to adaptive, and for an edit the duration ' +
      'to -1. Otherwise change the prompt. Then try again.',
  },
  unspecified: {
    what: 'The provider rejected the content without saying why.',
    advice: 'Change the prompt or the files and try again.',
  },
};

const otherFailures: Readonly<Record<Exclude<FailedReason, 'provider_rejected'>, FailureText>> = {
  provider_failed: {
    what: 'The provider couldn’t generate this video.',
    advice:
      'Try again. If it keeps failing, try different settings or contact support with the task ID.',
  },
  material_unavailable: {
    what: 'One of your files couldn’t be downloaded or read.',
    advice: 'Make sure every URL is public and points to a supported file, then try again.',
  },
  timed_out: {
    what: 'The task timed out.',
    advice: 'Try again. Shorter videos and lower resolutions finish sooner.',
  },
  cancelled: {
    what: 'The task was canceled.',
    advice: 'Create a new task if you still want the video.',
  },
  internal_error: {
    what: 'Something went wrong on our side.',
    advice: 'Try again. If it keeps failing, contact support with the task ID.',
  },
};

/** What happened to the reservation; a refund that could not be booked is settled manually. */
export type RefundState = {
  readonly billingStatus: BillingStatus;
  readonly refundOutcome: 'refunded' | 'written_off' | null;
};

function creditsMessage({ billingStatus, refundOutcome }: RefundState): string {
  if (billingStatus === 'refunded') return 'Your credits were refunded.';
  return refundOutcome === 'written_off'
    ? 'The credits weren’t refunded after manual review.'
    : 'Your refund needs manual review and will be handled soon.';
}

export function failureMessage(
  failure: { readonly reason: FailedReason; readonly part: RejectedPart | null } & RefundState,
): string {
  const { reason, part } = failure;
  const { what, advice } =
    reason === 'provider_rejected' ? rejected[part ?? 'unspecified'] : otherFailures[reason];
  return `${what} ${creditsMessage(failure)} ${advice}`;
}

/** Reads the failure back from a message of `failureMessage`; null for any other text. */
export function parseFailureMessage(
  message: string,
): { readonly reason: FailedReason; readonly part: RejectedPart | null } | null {
  const begins = (texts: Readonly<Record<string, FailureText>>): string | undefined =>
    Object.keys(texts).find((name) => message.startsWith(texts[name]!.what));
  const rejectedName = begins(rejected);
  if (rejectedName !== undefined) {
    const part = rejectedParts.find((one) => one === rejectedName) ?? null;
    return { reason: 'provider_rejected', part };
  }
  const name = begins(otherFailures);
  const reason = failedReasons.find((one) => one === name);
  return reason === undefined ? null : { reason, part: null };
}
