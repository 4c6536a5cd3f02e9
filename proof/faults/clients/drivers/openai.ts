/** OpenAI's own client at `/v1/videos`. It repeats a lost create by itself. */
import OpenAI from 'openai';
import { sleep } from '../../../../server/process/clock.ts';
import { type ClientDriver, model, seconds } from '../driver.ts';

export const openAiDriver: ClientDriver = {
  name: 'openai 7.53',
  cutMethods: ['POST'],
  async create({ url, key, prompt, idempotencyKey }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key });
    Object.assign(client, { idempotencyHeader: 'Idempotency-Key' });
    const size = '854x480' as '1280x720';
    const created = await client.videos.create(
      { ...{ model, prompt, size }, seconds: String(seconds) as '4' },
      { idempotencyKey },
    );
    for (let video = created; video.status !== 'completed'; await sleep(50)) {
      if (video.error) throw new Error(video.error.message);
      video = await client.videos.retrieve(created.id);
    }
  },
};
