/** Counts unfinished work. Every open admin page polls it, so it reads small indexes only. */
import { SummaryResponse } from '@vidgen/contract/admin-system.ts';
import { countPendingWebhooks } from '../../queue/backlog.ts';
import { countPending } from '../../tasks/task-counts.ts';
import { endpoint } from '../http/endpoint.ts';

export const getSummary = endpoint({
  operationId: 'getSummary',
  method: 'GET',
  path: '/admin/summary',
  summary: 'Get pending work',
  description: 'Counts for badges; cheap enough to be polled.',
  auth: 'admin',
  responses: {
    200: {
      description: 'Counts of what is not finished.',
      schema: SummaryResponse,
      examples: {
        busy: [
          'One refund waits for a person',
          {
            ...{ refunds_waiting: 1, queued: 4, generating: 9, calls_waiting: 2 },
            no_provider: false,
          },
        ],
      },
    },
  },
  async handler({ lifecycle: { db, providers } }) {
    const [pending, pendingWebhooks] = await Promise.all([
      countPending(db),
      countPendingWebhooks(db),
    ]);
    const body: SummaryResponse = {
      refunds_waiting: pending.refunds,
      queued: pending.queued,
      generating: pending.generating,
      calls_waiting: pendingWebhooks,
      no_provider: providers.servedModels().every((model) => providers.isPreviewed(model)),
    };
    return { body };
  },
});
