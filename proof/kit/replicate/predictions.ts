/** The fake's predictions, and how Replicate shows them. */
import { randomBytes } from 'node:crypto';
import { nowMs } from '../../../server/process/clock.ts';
import type { Input } from './rules.ts';

export type FakePrediction = ReturnType<typeof newPrediction>;
export type NewPrediction = { model: string; input: Input } & Partial<typeof defaults> & {
    createdMs?: number;
  };

/** A test may change every field. */
const defaults = {
  version: 'hidden',
  deployment: null as string | null,
  webhook: null as string | null,
  webhookEvents: null as readonly string[] | null,
  deadline: null as string | null,
  startedMs: null as number | null,
  completedMs: null as number | null,
  status: 'starting',
  output: null as unknown,
  error: null as unknown,
  logs: '',
  dataRemoved: false,
};

export const newPrediction = (fields: NewPrediction) => ({
  id: randomBytes(16).toString('hex').slice(0, 26),
  createdMs: nowMs(),
  ...defaults,
  ...fields,
});

const timestamp = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

/** Data is deleted an hour after the end; the rest stays. */
export function viewOf(
  prediction: FakePrediction,
  { baseUrl, showWebhook }: { readonly baseUrl: string; readonly showWebhook: boolean },
): Readonly<Record<string, unknown>> {
  const { id, startedMs, completedMs, dataRemoved } = prediction;
  const runSeconds = startedMs !== null && completedMs !== null && (completedMs - startedMs) / 1000;
  return {
    id,
    model: prediction.model,
    version: prediction.version,
    ...(prediction.deployment ? { deployment: prediction.deployment } : {}),
    input: dataRemoved ? {} : prediction.input,
    logs: dataRemoved ? '' : prediction.logs,
    output: dataRemoved ? null : prediction.output,
    data_removed: dataRemoved,
    error: prediction.error,
    source: 'api',
    status: prediction.status,
    created_at: timestamp(prediction.createdMs),
    started_at: timestamp(startedMs),
    completed_at: timestamp(completedMs),
    ...(prediction.deadline ? { deadline: prediction.deadline } : {}),
    metrics: runSeconds === false ? {} : { predict_time: Math.max(runSeconds, 0.1) },
    ...(showWebhook && prediction.webhook
      ? { webhook: prediction.webhook, webhook_events_filter: prediction.webhookEvents }
      : {}),
    urls: {
      get: `${baseUrl}/predictions/${id}`,
      cancel: `${baseUrl}/predictions/${id}/cancel`,
      web: `https://replicate.com/p/${id}`,
    },
  };
}
