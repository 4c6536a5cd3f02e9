/** An edit of an uploaded video is estimated at exactly what its create reserves. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startJourney } from '../../../proof/kit/journey.ts';
import { makeMedia } from '../../../proof/kit/media-files.ts';

const journey = await startJourney({
  environment: { VIDGEN_PUBLIC_URL: 'https://videos.example.com' },
});
after(() => journey.close());
const { service } = journey;
const video = await makeMedia({ format: 'mp4', video: 'mpeg4', audio: 'aac', seconds: 5 });
/** 30 seconds, the longest edit. */
const most = 180;

test('estimates an edit of an upload as its create reserves it', async () => {
  const account = await service.account({ live: 1000 });
  const response = await fetch(`${service.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'video/mp4' },
    body: new Uint8Array(video),
  });
  const { url } = (await response.json()) as { url: string };
  const edit = (source: string) => ({
    model: 'vidgen-2-5',
    input: {
      ...{ prompt: 'make it night', generation_type: 'reference-to-video', resolution: '480p' },
      ...{ duration: -1, video_urls: [source] },
    },
  });
  const estimate = async (source: string) =>
    (await account.client.post('/v1/videos/generations/estimate', edit(source))).body.credits;
  // What a busy machine could not measure in time is estimated at the most it can cost.
  let estimated = await estimate(url);
  for (let tries = 1; estimated === most && tries < 10; tries++) estimated = await estimate(url);
  assert.equal(estimated, (await account.client.create(edit(url))).body.credits);
  assert.equal(estimated, 30);
  assert.equal(await estimate('https://cdn.example.com/video.mp4'), most);
});
