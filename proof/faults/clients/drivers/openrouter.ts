/**
 * The AI SDK's OpenRouter provider at `/api/v1/videos`. It starts a new task when a
 * status request fails.
 */
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { experimental_generateVideo as generateVideo } from 'ai';
import { type ClientDriver, model, seconds } from '../driver.ts';

export const openRouterDriver: ClientDriver = {
  name: 'ai 7 with @openrouter/ai-sdk-provider 3.1.0',
  cutMethods: ['POST', 'GET'],
  async create({ url, key, prompt, idempotencyKey }) {
    const provider = createOpenRouter({ baseURL: `${url}/api/v1`, apiKey: key });
    await generateVideo({
      model: provider.videoModel(model, { pollIntervalMs: 50 }),
      ...{ prompt, duration: seconds, resolution: '854x480' as const },
      headers: { 'Idempotency-Key': idempotencyKey },
      // The SDK does not download from private networks, and the file is not the point here.
      download: async () => ({ data: new Uint8Array([0]), mediaType: 'video/mp4' }),
    });
  },
};
