/** Serves one guide: `/guides/webhooks` as a page, `/guides/webhooks.md` as Markdown. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { htmlResponse, loadGuidesPage, readGuides, textResponse } from './guides.ts';

export const getGuide = endpoint({
  operationId: 'guide',
  method: 'GET',
  path: '/guides/:name',
  summary: 'Get a guide',
  description: 'With `.md` after its name it is Markdown.',
  auth: 'none',
  allowsHead: true,
  params: z.object({ name: z.string().describe('Such as `quick-start` or `webhooks.md`.') }),
  responses: {
    200: { description: 'The guide.', schema: z.string(), contentType: 'text/html' },
  },
  errors: { not_found: 'Guide not found; see /guides for the list.' },
  async handler({ publicUrl }, { params }) {
    const requestedName = params.name!;
    const guides = await readGuides(publicUrl());
    const guide = guides.find(({ name }) => name === requestedName.replace(/\.md$/, ''));
    if (!guide) throw new ApiError('not_found', 'Guide not found; see /guides for the list.');
    if (requestedName.endsWith('.md')) return textResponse(guide.markdown, 'text/markdown');
    const { guidePage } = await loadGuidesPage();
    return htmlResponse(await guidePage(guide, guides));
  },
});
