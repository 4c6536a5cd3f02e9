/** Returns what a one-time link is for, without using it up. */
import { InspectLinkRequest, LinkResponse } from '@vidgen/contract/people.ts';
import { accessDeactivated, getValidLink } from '../../accounts/people/one-time-link.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { link, linkGone, token } from './samples.ts';
import { linkView } from './views.ts';

export const inspectLink = endpoint({
  parsesItself: true,
  operationId: 'lookAtLink',
  method: 'POST',
  path: '/links/look',
  summary: 'Inspect a one-time link',
  description: 'Does not use up the link.',
  auth: 'none',
  body: InspectLinkRequest,
  requestExamples: { one: ['A link', { token }] },
  responses: {
    200: {
      description: 'The link works.',
      schema: LinkResponse,
      examples: { one: ['An invitation to an account', link] },
    },
  },
  errors: {
    invalid_request: 'token is required',
    forbidden: accessDeactivated,
    not_found: linkGone,
    internal_error: true,
  },
  async handler({ lifecycle }, { body }) {
    const { token } = parseBody(InspectLinkRequest, body);
    return { body: linkView(await getValidLink(lifecycle.db, token)) };
  },
});
