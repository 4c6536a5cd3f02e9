/**
 * The life of a task as steps in their order, each with the time that passed since the one before.
 */
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';

export type Step = {
  readonly title: string;
  readonly about?: string;
  /** Unix seconds; null for what is still to come. */
  readonly at: number | null;
  readonly state: 'done' | 'failed' | 'running' | 'coming';
};
export type TimedStep = Step & { readonly sinceSeconds: number | null };

export function stepsOf(task: AdminTaskDetail): TimedStep[] {
  const steps = [...begun(task), ...tried(task), ...ended(task), ...called(task)];
  return steps.map((step, place) => {
    const before = steps[place - 1]?.at ?? null;
    const sinceSeconds = step.at === null || before === null ? null : step.at - before;
    return { ...step, sinceSeconds };
  });
}

function begun({ created_at: at, created_by: person, key, credits }: AdminTaskDetail): Step[] {
  const about = person === null ? `with the key ${key.name}` : `by ${person} in the playground`;
  return [
    { title: 'Created', about, at, state: 'done' },
    { title: 'Reserved', about: `${credits} credits`, at, state: 'done' },
  ];
}

/** Members are not told which generator it was; operators are. */
function tried({ attempts, status, progress }: AdminTaskDetail): Step[] {
  const steps = attempts.flatMap((attempt): Step[] => {
    const whom = attempt.provider ?? 'the generator';
    const isGivenUp = attempt.outcome !== null && attempt.outcome !== 'completed';
    return [
      { title: 'Sent', about: `to ${whom}`, at: attempt.started_at, state: 'done' },
      ...(attempt.accepted_at === null
        ? []
        : [
            {
              title: 'Accepted',
              about: `by ${whom}`,
              at: attempt.accepted_at,
              state: 'done',
            } as const,
          ]),
      ...(isGivenUp
        ? [{ title: outcomeWords(attempt), at: attempt.ended_at, state: 'failed' } as const]
        : []),
    ];
  });
  if (status === 'queued') return [...steps, { title: 'Queued', at: null, state: 'running' }];
  if (status !== 'generating') return steps;
  const about = progress === null ? undefined : `${Math.round(progress * 100)} %`;
  return [
    ...steps,
    { title: 'Generating', at: null, state: 'running', ...(about ? { about } : {}) },
  ];
}

function outcomeWords({ outcome, detail }: AdminTaskDetail['attempts'][number]): string {
  const words = `Attempt ${(outcome ?? '').replaceAll('_', ' ')}`;
  return detail === null ? words : `${words}: ${detail}`;
}

function ended({ finished_at: at, status, entries, failed_reason }: AdminTaskDetail): Step[] {
  if (at === null) return [];
  const end: Step =
    status === 'completed'
      ? { title: 'Completed', about: 'the video is stored', at, state: 'done' }
      : {
          title: 'Failed',
          about: (failed_reason ?? '').replaceAll('_', ' '),
          at,
          state: 'failed',
        };
  const booked = entries
    .toReversed()
    .filter(({ kind }) => kind !== 'reserve')
    .map(
      ({ kind, amount, created_at }): Step => ({
        title: bookedWords[kind] ?? kind,
        about: `${amount} credits`,
        at: created_at,
        state: kind === 'suspend' ? 'failed' : 'done',
      }),
    );
  return [end, ...booked];
}

const bookedWords: Readonly<Record<string, string>> = {
  charge: 'Charged',
  refund: 'Refunded',
  suspend: 'Refund not booked',
  release: 'Refunded by hand',
};

function called({ delivery, callback_url, finished_at }: AdminTaskDetail): Step[] {
  if (delivery === null) {
    return callback_url === null || finished_at !== null
      ? []
      : [{ title: 'Webhook', about: 'when it is final', at: null, state: 'coming' }];
  }
  const calls = delivery.attempts.toReversed().map((call): Step => {
    const { answer_status: status } = call;
    const arrived = status !== null && status >= 200 && status < 300;
    const answer = status === null ? call.error : `answered ${status}`;
    return {
      title: arrived ? 'Webhook delivered' : 'Webhook not delivered',
      about: `call ${call.number}: ${answer} in ${call.duration_ms} ms`,
      at: call.started_at,
      state: arrived ? 'done' : 'failed',
    };
  });
  const next = delivery.next_attempt_at;
  if (next === null) return calls;
  return [...calls, { title: 'Next webhook call', at: next, state: 'coming' }];
}
