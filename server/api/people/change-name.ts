/** Changes the name under which the person is shown to others. */
import { ChangeNameRequest } from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { renamePerson } from '../../accounts/people/person.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { requireSession, sessionDescription } from './session-response.ts';
import { sessionView } from './views.ts';

export const changeName = endpoint({
  parsesItself: true,
  operationId: 'changeName',
  method: 'POST',
  path: '/session/name',
  summary: 'Change your name',
  description: 'The name is shown to other people of the account and to operators.',
  auth: 'person',
  body: ChangeNameRequest,
  requestExamples: { one: ['Another name', { name: 'Ada Berg' }] },
  responses: { 200: sessionDescription('Changed.') },
  errors: { invalid_request: 'name is required' },
  async handler(services, request) {
    const { person, session } = requireSession(request);
    const { name } = parseBody(ChangeNameRequest, request.body);
    const renamed = await request.transaction(async (tx) => {
      const changed = await renamePerson(tx, { personId: person.id, name });
      const action = 'person.change_name';
      if (changed.name !== person.name) {
        const detail = { from: person.name, to: changed.name };
        await recordAudit(tx, { actor: person.email, action, subject: person.id, detail });
      }
      return changed;
    });
    return { body: await sessionView(services, { person: renamed, session }) };
  },
});
