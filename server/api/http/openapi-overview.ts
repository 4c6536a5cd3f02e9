/** The introduction of the OpenAPI document: a first request, and what applies everywhere. */
import { errorTable } from '@vidgen/contract/error-response.ts';

const errorRows = Object.entries(errorTable)
  .map(([code, { http, condition, retry }]) => `| ${http} \`${code}\` | ${condition} | ${retry} |`)
  .join('\n');

export const overview = (publicUrl: string): string =>
  `
Generate videos from text, images, video and sound. Create a task, wait until it has completed, and
download the video.

## First request

1. **Base URL:** \`${publicUrl}\`
2. **API key:** create one in the [dashboard](${publicUrl}/dashboard), and put it in the
   environment: \`export VIDGEN_KEY=vg_test_…\`
3. **Create a video:**

\`\`\`bash
curl ${publicUrl}/v1/videos/generations \\
  -H "Authorization: Bearer $VIDGEN_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "vidgen-2-5",
    "input": {
      "prompt": "Waves roll onto a wide beach at dawn"
    }
  }'
\`\`\`

The response has the \`taskId\`. Send it to
[get task status](#tag/tasks/GET/v1/tasks/{id}) with \`?until=final\` to wait for the video. The
[quick start](${publicUrl}/guides/quick-start) does the same in TypeScript and Python.

## Authentication

Send the key as \`Authorization: Bearer <API_KEY>\` with every request. Its beginning tells the
mode:

| Key | Spends | Makes |
|---|---|---|
| \`vg_live_…\` | live credits | videos |
| \`vg_test_…\` | test credits, at no cost | previews |

A key has one or more permissions: \`videos:create\`, \`tasks:read\`, \`tasks:cancel\`,
\`tasks:delete\`.

With a test key, a word in the prompt forces an outcome: \`[test:fail]\`, \`[test:reject]\`,
\`[test:timeout]\` or \`[test:slow]\`.

## Credits

Credits are reserved when a task is accepted, charged when it completes, and refunded when it
fails, times out or is canceled. The \`credits\` in the response of a create are exact.

## Rate limits

By default, a key can send 100 creates and 600 other requests per minute. Every response has the
current state in the headers \`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and
\`x-ratelimit-reset\`.

## Errors

Every error has the same form. Its message is one sentence that names everything wrong with the
request.

\`\`\`json
{
  "error": {
    "code": "invalid_request",
    "message": "input.duration must be 4 to 30 for vidgen-2-5 (got 45)"
  }
}
\`\`\`

| Error | Meaning | Retry |
|---|---|---|
${errorRows}

\`insufficient_credits\` also has \`required\` and \`available\`; \`rate_limited\` has
\`retry_after\` in seconds.

## Extensions

This service implements a published contract: create a video task, get its status, and webhooks.
Endpoints with the badge Extension are additions, and so are some fields and headers; they never
change what the contract defines. [openapi.json](${publicUrl}/openapi.json) marks each of them.
`.trim();
