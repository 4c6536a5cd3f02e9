/**
 * docs/self-hosting-models.md is correct: its files are read as they are, and lead to a video.
 * Thorough: waits for a video as long as its reader would.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ListProvidersResponse } from '@vidgen/contract/admin-providers.ts';
import { readConfigFile } from '../../server/config/config-file.ts';
import { OpenAiVideosSettings } from '../../server/providers/openai-videos/settings.ts';
import { startJourney } from '../kit/journey.ts';
import { FakeOpenAiVideos } from '../kit/openai-videos/fake.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';

const guidePath = new URL('../../docs/self-hosting-models.md', import.meta.url);

const blocksOf = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text]) => text!,
  );

const guide = await readFile(guidePath, 'utf8');
const folder = makeTemporaryFolder('guide');
const files = await Promise.all(
  blocksOf('ts').map(async (text, index) => {
    const path = join(folder, `guide-${index}.ts`);
    await writeFile(path, text);
    return await readConfigFile(path);
  }),
);

test('every configuration in the guide is accepted', () => {
  assert.deepEqual(
    files.map(({ providers = {} }) => Object.keys(providers)),
    [['wan'], ['text-a', 'text-b', 'images']],
  );
  for (const { providers = {} } of files) {
    for (const settings of Object.values(providers)) OpenAiVideosSettings.parse(settings);
  }
});

test('every setting in the guide exists, and none is missing', () => {
  const variables = [...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!);
  const shown = Object.keys(files[0]!.providers!.wan!);
  const known = Object.keys(OpenAiVideosSettings.shape);
  // Settings of the hosted dialects, and of every provider.
  const elsewhere = ['webhookSecret', 'startsPerMinute', 'costs'];
  assert.deepEqual(
    known.filter((name) => ![...variables, ...shown, ...elsewhere].includes(name)),
    [],
  );
  const table = guide.slice(guide.indexOf('| Setting | Means |'), guide.indexOf('## 4.'));
  for (const [, name] of table.matchAll(/^\| `(\w+)` \|/gm)) assert.ok(known.includes(name!), name);
});

test('the response of /admin/providers matches the guide', () => {
  const [expectedResponse] = blocksOf('json');
  ListProvidersResponse.parse(JSON.parse(expectedResponse!));
});

test('the steps of the guide lead to a video', async () => {
  const { wan } = files[0]!.providers!;
  assert.ok(wan?.kind === 'openai-videos');
  const model = wan.models['vidgen-2-0']!;
  await using server = await FakeOpenAiVideos.start({ dialect: wan.dialect, automatic: true });
  const providers = { wan: { ...wan, baseUrl: server.baseUrl } };
  const journey = await startJourney({ file: { ...files[0], providers } });
  const account = await journey.service.account({ live: 100 });
  const create = blocksOf('sh').find((text) => text.includes('/v1/videos/generations'))!;
  const [, body] = /-d '(.*)'/s.exec(create)!;
  const response = await account.client.create(JSON.parse(body!));
  assert.equal(response.body.credits, 8, 'as the guide says');
  const final = await account.client.final(response.body.taskId as string);
  assert.equal(final.status, 'completed', JSON.stringify(final));
  const { fields } = server.started()[0]!.create;
  assert.deepEqual([fields.size, fields.fps, fields.model], ['832x480', '16', model]);
  const health = await journey.service.admin.get('/admin/providers');
  const { items } = ListProvidersResponse.parse(health.body);
  assert.equal(items.find(({ name }) => name === 'wan')?.starts.accepted, 1);
  await journey.close();
});
