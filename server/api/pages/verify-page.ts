/** The page at /verify: whether a file was made here, by which model, when, and altered or not. */
import { z } from 'zod';
import { verificationsPerHour } from '../credentials/verify.ts';
import { endpoint } from '../http/endpoint.ts';
import { routeNotFound } from '../http/error-response.ts';
import { siteHeaders, siteLinks, sitePage } from './site-page.ts';

const keyField = `<label>API key<input name="key" type="password" autocomplete="off" required>
</label>`;

const body = ({ requiresKey }: { readonly requiresKey: boolean }) => `
<div id="sites" class="popover sites-popover" popover>
${siteLinks({ section: 'verify', rootPath: '' })}</div>
<main id="main" class="verify"><h1>Verify a video</h1>
<p class="lead">Find out whether a video or an image was made here, by which model and when, and
whether it was changed since.</p>
<form id="verify-form">${requiresKey ? keyField : ''}
<label class="drop">Video or image<input name="file" type="file" accept="video/mp4,image/*"></label>
<p class="or">or</p>
<label>Task ID or result URL<input name="named" placeholder="task_… or https://…"
autocomplete="off" spellcheck="false"></label>
<button class="verify-button" type="submit">Verify</button></form>
<section id="verify-result" aria-live="polite"></section>
<p class="note">A file of up to 512 MiB is read once and not kept. A task ID or a URL of ours needs
no upload.${requiresKey ? '' : ` A network can verify ${verificationsPerHour} times per hour.`}
<a href="guides/marking">What the marking proves, and what it does not</a></p></main>
`;

export const verifyPageEndpoint = endpoint({
  operationId: 'verifyPage',
  method: 'GET',
  path: '/verify',
  summary: 'Open the page that verifies files',
  auth: 'none',
  allowsHead: true,
  responses: {
    200: { description: 'A page.', schema: z.string(), contentType: 'text/html' },
  },
  errors: { not_found: true },
  async handler({ verifies }) {
    if (verifies === 'off') throw routeNotFound();
    const text = await sitePage({
      title: 'Verify a video',
      section: 'verify',
      rootPath: '',
      styles: ['verify.css'],
      body: body({ requiresKey: verifies === 'key' }),
    });
    return { text, headers: siteHeaders() };
  },
});
