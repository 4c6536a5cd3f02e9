/** The AI SDK with the provider that the service serves. */
import { experimental_generateVideo as generateVideo } from 'ai';
import { createVidgen } from '../../../../ai-sdk/vidgen-ai-sdk.mjs';
import { type ClientDriver, model, seconds } from '../driver.ts';

export const aiSdkDriver: ClientDriver = {
  name: 'ai 7 with the provider of vidgen',
  cutMethods: ['POST', 'GET'],
  async create({ url, key, prompt, idempotencyKey }) {
    const provider = createVidgen({ baseURL: url, apiKey: key });
    await generateVideo({
      ...{ model: provider.video(model), prompt, duration: seconds, resolution: '854x480' },
      headers: { 'Idempotency-Key': idempotencyKey },
      poll: { intervalMs: 50 },
    });
  },
};
