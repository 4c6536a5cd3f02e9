/** Lists the person's own sessions, newest first. */
import { ListSessionsResponse } from '@vidgen/contract/people.ts';
import { listSessions as listSessionRows } from '../../accounts/people/session.ts';
import { endpoint } from '../http/endpoint.ts';
import { pageOf } from '../http/samples.ts';
import { unixSeconds } from '../http/timestamps.ts';
import { listedSession } from './samples.ts';
import { requireSession } from './session-response.ts';

export const listSessions = endpoint({
  operationId: 'listSessions',
  method: 'GET',
  path: '/sessions',
  summary: 'List your sessions',
  description: 'Newest first. A session ends after 7 days unused and after 30 in any case.',
  auth: 'person',
  responses: {
    200: {
      description: 'One’s own sessions.',
      schema: ListSessionsResponse,
      examples: { one: ['This browser', pageOf(listedSession)] },
    },
  },
  async handler({ lifecycle }, request) {
    const { person, session } = requireSession(request);
    const found = await listSessionRows(lifecycle.db, person.id);
    const items = found.map(({ id, createdAt, lastUsedAt, address, agent }) => ({
      id,
      current: id === session.id,
      created_at: unixSeconds(createdAt),
      last_used_at: unixSeconds(lastUsedAt),
      address,
      agent,
    }));
    return { body: { items, next_cursor: null } };
  },
});
