/** Serves the page that lists the guides. */
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { htmlResponse, loadGuidesPage, readGuides } from './guides.ts';

export const listGuides = endpoint({
  operationId: 'guides',
  method: 'GET',
  path: '/guides',
  summary: 'List guides',
  auth: 'none',
  allowsHead: true,
  responses: {
    200: { description: 'A page that lists them.', schema: z.string(), contentType: 'text/html' },
  },
  async handler({ publicUrl }) {
    const { guidesPage } = await loadGuidesPage();
    return htmlResponse(await guidesPage(await readGuides(publicUrl())));
  },
});
