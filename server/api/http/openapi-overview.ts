/** The introduction of the OpenAPI document: what applies to all endpoints. */
import { errorTable } from '@vidgen/contract/error-response.ts';

const errorRows = Object.entries(errorTable)
  .map(
    ([code, { http, condition, retry }]) => `| \`${code}\` | ${http} | ${condition} | ${retry} |`,
  )
  .join('\n');

export const overview = `
Asynchronous video generation. A create returns at once with the ID of the task and the
credits reserved for it. Poll the task, or receive a webhook at your
\`callback_url\`.

## Keys

Every request under \`/v1\` carries \`Authorization: Bearer <API_KEY>\`. Keys that begin with
\`vg_live_\` spend live credits. Keys that begin with \`vg_test_\` spend test credits on
previews, so that an integration can be tried to the end at no cost; in their prompts
\`[test:fail]\`, \`[test:reject]\`, \`[test:timeout]\` and \`[test:slow]\` force an outcome.
A key holds any of the permissions \`videos:create\`, \`tasks:read\`, \`tasks:cancel\` and
\`tasks:delete\`.

## Credits

Credits are reserved when a task is accepted, charged from that reservation when it completes, and
refunded when it fails, times out or is canceled. The \`credits\` that a create returns are exact.

## Limits

100 creates and 600 other requests per minute and key by default. Every response has the current
state in \`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and
\`x-ratelimit-reset\`.

## Webhooks

A webhook is sent when a task has completed or failed. It is retried up to 5 times until the
receiver responds with 2xx within 15 seconds. Webhooks are signed as Standard Webhooks.
De-duplicate by the task's \`id\`.

## Errors

An error is \`{"error": {"code", "message"}}\`, with \`required\` and \`available\` or
\`retry_after\` where they apply. The message is one sentence that names everything wrong with
the request.

| Code | HTTP | Condition | Retry |
|---|---|---|---|
${errorRows}

## Extensions

Endpoints and fields that are marked as extensions go beyond the contract and do not change it.
`.trim();
