/** The steps of a task in order, each with the time since the previous one. */
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { attemptOutcomeLabel, failedReasonLabels } from '../components/value-labels.ts';
import { webhookErrorText } from '../webhooks/webhook-error-text.ts';

export type Step = {
  readonly title: string;
  readonly description?: string;
  /** Unix seconds; null for steps to come. */
  readonly at: number | null;
  readonly state: 'done' | 'failed' | 'cancelled' | 'running' | 'upcoming';
};
type TimedStep = Step & { readonly sinceSeconds: number | null };

export function stepsOf(task: AdminTaskDetail): TimedStep[] {
  const steps = [
    ...creationSteps(task),
    ...attemptSteps(task),
    ...finalSteps(task),
    ...deliverySteps(task),
  ];
  return steps.map((step, index) => {
    const before = steps[index - 1]?.at ?? null;
    const sinceSeconds = step.at === null || before === null ? null : step.at - before;
    return { ...step, sinceSeconds };
  });
}

function creationSteps({
  created_at: at,
  created_by: person,
  key,
  credits,
}: AdminTaskDetail): Step[] {
  const description = person === null ? `with key ${key.name}` : `by ${person} in the playground`;
  return [
    { title: 'Created', description, at, state: 'done' },
    { title: 'Reserved', description: `${credits} credits`, at, state: 'done' },
  ];
}

/** The service names the provider to administrators only. */
function attemptSteps({ attempts, status, progress }: AdminTaskDetail): Step[] {
  const steps = attempts.flatMap((attempt): Step[] => {
    const providerName = attempt.provider ?? 'the provider';
    const isEndShown = attempt.outcome !== null && attempt.outcome !== 'completed';
    const endState = attempt.outcome === 'cancelled' ? 'cancelled' : 'failed';
    return [
      { title: 'Sent', description: `to ${providerName}`, at: attempt.started_at, state: 'done' },
      ...(attempt.accepted_at === null
        ? []
        : [
            {
              title: 'Accepted',
              description: `by ${providerName}`,
              at: attempt.accepted_at,
              state: 'done',
            } as const,
          ]),
      ...(isEndShown
        ? [{ title: outcomeLabel(attempt), at: attempt.ended_at, state: endState } as const]
        : []),
    ];
  });
  if (status === 'queued') return [...steps, { title: 'Queued', at: null, state: 'running' }];
  if (status !== 'generating') return steps;
  const description = progress === null ? undefined : `${Math.round(progress * 100)} %`;
  return [
    ...steps,
    { title: 'Generating', at: null, state: 'running', ...(description ? { description } : {}) },
  ];
}

function outcomeLabel({ outcome, detail }: AdminTaskDetail['attempts'][number]): string {
  const label = `Attempt ${attemptOutcomeLabel(outcome ?? '').toLowerCase()}`;
  return detail === null ? label : `${label}: ${detail}`;
}

function finalSteps({ finished_at: at, status, entries, failed_reason }: AdminTaskDetail): Step[] {
  if (at === null) return [];
  const end: Step =
    status === 'completed'
      ? { title: 'Completed', description: 'video saved', at, state: 'done' }
      : failed_reason === 'cancelled'
        ? { title: failedReasonLabels.cancelled, at, state: 'cancelled' }
        : {
            title: 'Failed',
            description: failed_reason === null ? '' : failedReasonLabels[failed_reason],
            at,
            state: 'failed',
          };
  const entrySteps = entries
    .toReversed()
    .filter(({ kind }) => kind !== 'reserve')
    .map(
      ({ kind, amount, created_at }): Step => ({
        title: entryTitles[kind] ?? kind,
        description: `${amount} credits`,
        at: created_at,
        state: kind === 'suspend' ? 'failed' : 'done',
      }),
    );
  return [end, ...entrySteps];
}

const entryTitles: Readonly<Record<string, string>> = {
  charge: 'Charged',
  refund: 'Refunded',
  suspend: 'Refund failed',
  release: 'Refunded manually',
};

function deliverySteps({ delivery, callback_url, finished_at }: AdminTaskDetail): Step[] {
  if (delivery === null) {
    return callback_url === null || finished_at !== null
      ? []
      : [
          {
            title: 'Webhook',
            description: 'sent when the task finishes',
            at: null,
            state: 'upcoming',
          },
        ];
  }
  const steps = delivery.attempts.toReversed().map((attempt): Step => {
    const { answer_status: status } = attempt;
    const isDelivered = status !== null && status >= 200 && status < 300;
    const outcome =
      status === null ? webhookErrorText(attempt.error, delivery.url) : `HTTP ${status}`;
    return {
      title: isDelivered ? 'Webhook delivered' : 'Webhook failed',
      description: `attempt ${attempt.number}: ${outcome} in ${attempt.duration_ms} ms`,
      at: attempt.started_at,
      state: isDelivered ? 'done' : 'failed',
    };
  });
  const next = delivery.next_attempt_at;
  if (next === null) return steps;
  return [...steps, { title: 'Next webhook attempt', at: next, state: 'upcoming' }];
}
