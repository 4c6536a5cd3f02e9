/** Hides a notice from the person who asks; others still see it. */
import { dismissNotice as dismiss } from '../../messages/list-notices.ts';
import { endpoint } from '../http/endpoint.ts';
import { viewerOf } from './notice-views.ts';
import { requireSession } from './session-response.ts';

export const dismissNotice = endpoint({
  operationId: 'dismissNotice',
  method: 'POST',
  path: '/notices/:id/dismiss',
  summary: 'Dismiss a notice',
  description:
    'Hides the notice for the person who sends the request. The same condition is reported again ' +
    'when it has ended and returns.',
  auth: 'person',
  responses: { 204: { description: 'Dismissed.' } },
  errors: { not_found: 'No notice found with this ID.' },
  async handler(_services, request) {
    const { person } = requireSession(request);
    await request.transaction(async (tx) => {
      await dismiss(tx, await viewerOf(tx, person), request.params.id!);
    });
    return { status: 204 };
  },
});
