/** Estimates the credits of a task by the checks of create. Nothing is fetched or reserved. */
import { CreateGenerationRequest, EstimateResponse } from '@vidgen/contract/create-generation.ts';
import { endpoint } from '../http/endpoint.ts';
import { checkCreateRequest, ignoredHeader } from './check-create-request.ts';
import { estimatePrice } from './estimate-price.ts';
import { generationExamples } from './samples.ts';

export const estimateGeneration = endpoint({
  parsesItself: true,
  operationId: 'estimateGeneration',
  method: 'POST',
  path: '/v1/videos/generations/estimate',
  summary: 'Estimate the cost of a task',
  description:
    'Takes the body of a create and checks it the same way. Fetches and reserves nothing.',
  auth: 'key',
  permission: 'videos:create',
  extension: true,
  body: CreateGenerationRequest,
  materialBody: 'json',
  requestExamples: generationExamples,
  responses: {
    200: {
      description: 'The credits that create would reserve.',
      schema: EstimateResponse,
      headers: ['vidgen-ignored'],
      examples: { estimate: ['An estimate', { credits: 40 }] },
    },
  },
  async handler(services, request) {
    const { request: checked, ignored } = checkCreateRequest(services, request);
    const { generation } = checked;
    const { accountId } = request.identity!;
    const { credits } = await estimatePrice(services, { accountId, generation });
    return { body: { credits }, headers: ignoredHeader(ignored) };
  },
});
