/** The introduction of the OpenAPI document: what applies to all endpoints. */
import { errorTable } from '@vidgen/contract/error-response.ts';

const errorRows = Object.entries(errorTable)
  .map(
    ([code, { http, condition, retry }]) => `| \`${code}\` | ${http} | ${condition} | ${retry} |`,
  )
  .join('\n');

export const overview = `
Asynchronous video generation. Creating a task answers at once with its id and the credits
reserved for it; the finished video is found by polling the task or by a webhook call to your
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
returned when it fails, times out or is cancelled. The \`credits\` of the create answer are exact.

## Limits

100 creates and 600 other requests a minute a key, unless the operator set others; every answer
tells what is left in \`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and
\`x-ratelimit-reset\`.

## Webhook calls

A call is made once the task has completed or failed. It is repeated up to 5 times while the
receiver does not answer 2xx within 15 seconds. Calls are signed after Standard Webhooks.
De-duplicate by the task's \`id\`.

## Errors

An error is \`{"error": {"code", "message"}}\`, with \`required\` and \`available\` or
\`retry_after\` where they apply. The message is one sentence that names everything wrong with
the request.

| Code | HTTP | Condition | Retry |
|---|---|---|---|
${errorRows}

## Extensions

What is marked as an extension is ours, beyond the contract, and changes nothing that it names.
`.trim();
