/**
 * The AI SDK's ByteDance provider at ModelArk's endpoints. It starts a new
 * task when a status request fails.
 */
import { createByteDance } from '@ai-sdk/bytedance';
import { experimental_generateVideo as generateVideo } from 'ai';
import { type ClientDriver, model, seconds } from '../driver.ts';

export const byteDanceDriver: ClientDriver = {
  name: 'ai 7 with @ai-sdk/bytedance 1.0.29',
  cutMethods: ['POST', 'GET'],
  async create({ url, key, prompt, idempotencyKey }) {
    const provider = createByteDance({ baseURL: `${url}/api/v3`, apiKey: key });
    await generateVideo({
      ...{ model: provider.video(model), prompt, duration: seconds, resolution: '864x496' },
      providerOptions: { bytedance: { pollIntervalMs: 50 } },
      headers: { 'Idempotency-Key': idempotencyKey },
      // The SDK does not download from private networks, and the file is not the point here.
      download: async () => ({ data: new Uint8Array([0]), mediaType: 'video/mp4' }),
    });
  },
};
