/** What edits and extensions of a video have in common: only their fields and examples differ. */
import { type EditVideoRequest, Video } from '@vidgen/contract/openai-videos.ts';
import type { z } from 'zod';
import type { EndpointDefinition } from '../../http/endpoint-definition.ts';
import { parseBody } from '../../http/parse-request.ts';
import { taskId } from '../../http/samples.ts';
import { createVideoTask } from './created-video.ts';
import { openAiDefinition } from './definition.ts';
import { withObjectFields } from './form-fields.ts';
import { translateEdit } from './translate.ts';
import { findSource, sourceField } from './video-source.ts';

type EditOptions = {
  readonly body: z.ZodObject & z.ZodType<EditVideoRequest>;
  /** The request of the example, without its source. */
  readonly example: Readonly<Record<string, string>>;
  readonly exampleResponse: Video;
};

export const editDefinition = ({ body: schema, example, exampleResponse }: EditOptions) =>
  ({
    ...openAiDefinition,
    method: 'POST',
    permission: 'videos:create',
    rateLimit: 'create',
    body: schema,
    materialBody: 'form',
    requestHeaders: ['Idempotency-Key'],
    requestExamples: {
      own: ['A video of the account', { ...example, video: { id: taskId } }],
    },
    responses: {
      200: {
        description: 'The task is accepted and its credits are reserved.',
        schema: Video,
        headers: ['openai-poll-after-ms'],
        examples: { accepted: ['Accepted', exampleResponse] },
      },
    },
    errors: {
      insufficient_credits: true,
      invalid_request: `video must be a completed video; ${taskId} is queued`,
      not_found: true,
    },
    async handler(services, request) {
      const body = parseBody(schema, withObjectFields(request.body, sourceField));
      const source = await findSource(services, request, body.video);
      const translated = translateEdit(services.lifecycle.catalog, body, source);
      return await createVideoTask(services, request, translated);
    },
  }) as const satisfies Partial<EndpointDefinition>;
