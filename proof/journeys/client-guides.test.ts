/**
 * The README and the guides of other vendors' clients and of MCP hosts are correct: their examples
 * run and repeat a lost create safely, and the official clients connect with the settings shown.
 * Thorough: runs every example of the guides.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readConfigFile } from '../../server/config/config-file.ts';
import { CuttingProxy } from '../faults/clients/cutting-proxy.ts';
import { startJourney, textToVideo } from '../kit/journey.ts';
import { pluck } from '../kit/pluck.ts';

const journey = await startJourney();
const { service } = journey;
const folder = await mkdtemp(join(tmpdir(), 'vidgen-client-guides-'));
after(async () => {
  await journey.close();
  await rm(folder, { recursive: true });
});
await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));

const run = promisify(execFile);
const skip = spawnSync('curl', ['--version']).status === 0 ? false : 'there is no curl here';

/** The code blocks as a reader gets them, with the URL of this service. */
async function blocksOf(guide: string, language: string): Promise<string[]> {
  const text = await (await fetch(`${service.url}/guides/${guide}.md`)).text();
  const fence = new RegExp(`^\`\`\`${language}(?: \\S+)?\n(.*?)^\`\`\``, 'gms');
  return [...text.matchAll(fence)].map(([, block]) => block!);
}

async function runShell(command: string, environment: Record<string, string>) {
  const env = { ...process.env, ...environment };
  const { stdout } = await run('sh', ['-c', command.replace(/^curl /, 'curl -sS ')], {
    ...{ cwd: folder, env },
  });
  return stdout;
}

const hasPythonClient = spawnSync('python3', ['-c', 'import openai']).status === 0;
const examples = [
  { guide: 'openai', language: 'ts', prints: 'completed 1280x720\n' },
  { guide: 'openai', language: 'python', prints: 'completed 1280x720\n' },
  { guide: 'modelark', language: 'ts', prints: 'video/mp4\n' },
  { guide: 'openrouter', language: 'ts', prints: 'video/mp4\n' },
] as const;

for (const { guide, language, prints } of examples) {
  const isMissing = language === 'python' && !hasPythonClient;
  const options = { skip: isMissing && 'there is no openai for python3' };
  const title = `the ${language} client of ${guide}.md repeats a create, and it is charged once`;
  test(title, options, async () => {
    const { key, client } = await service.account({ live: 100 });
    const cut = { method: 'POST', place: 'before the response' } as const;
    await using proxy = await CuttingProxy.open({ to: [service.url], cut, createHead: /^POST / });
    const [example] = await blocksOf(guide, language);
    const text = example!
      .replaceAll(service.url, proxy.url)
      .replace('pollTimeoutMs', 'pollIntervalMs: 10, pollTimeoutMs');
    const cwd = await mkdtemp(join(folder, `${guide}-`));
    await writeFile(join(cwd, `waves.${language}`), text);
    const env = { ...process.env, NODE_NO_WARNINGS: '1', VIDGEN_KEY: key };
    const program = language === 'ts' ? process.execPath : 'python3';
    const { stdout } = await run(program, [`waves.${language}`], { cwd, env });
    assert.equal(stdout, prints);
    assert.equal((await readFile(join(cwd, 'waves.mp4'))).toString('latin1', 4, 8), 'ftyp');
    assert.equal(proxy.creates, 2, 'the response to the first create was lost');
    const { body } = await client.get('/v1/tasks');
    const tasks = body.items as { billing_status: string }[];
    assert.deepEqual(pluck(tasks, 'billing_status'), ['charged']);
  });
}

test('the aliases of ModelArk’s models are accepted', async () => {
  const [, aliases] = await blocksOf('modelark', 'ts');
  await writeFile(join(folder, 'vidgen.config.ts'), aliases!);
  const config = await readConfigFile(join(folder, 'vidgen.config.ts'));
  assert.equal(config.aliases?.['dreamina-seedance-2-5-260628'], 'vidgen-2-5');
});

test('curl creates and reads a task at ModelArk’s endpoints, as shown', { skip }, async () => {
  const { key } = await service.account({ live: 100 });
  const [, create, read] = await blocksOf('modelark', 'sh');
  const { id } = JSON.parse(await runShell(create!, { VIDGEN_KEY: key }));
  const task = JSON.parse(await runShell(read!, { VIDGEN_KEY: key, TASK_ID: id }));
  assert.equal(task.id, id);
});

test('an MCP client connects over HTTP and as a program, as shown', { skip }, async () => {
  const { key } = await service.account({ live: 100 });
  const [, list, download] = await blocksOf('mcp', 'sh');
  const listed = JSON.parse(await runShell(list!, { VIDGEN_KEY: key }));
  await runShell(download!, {});
  const [overHttp, asProgram] = (await blocksOf('mcp', 'json')).map((block) => {
    const settings = block.replace('vg_live_…', key).replace('/path/to', folder);
    return JSON.parse(settings).mcpServers.vidgen;
  });
  const { url, headers } = overHttp;
  const { command, args, env } = asProgram;
  const transports = [
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
    new StdioClientTransport({
      command: command === 'node' ? process.execPath : command,
      args,
      env,
    }),
  ];
  const names = listed.result.tools.map(({ name }: { name: string }) => name);
  const guide = await (await fetch(`${service.url}/guides/mcp.md`)).text();
  for (const name of names) assert.match(guide, new RegExp(`^\\| \`${name}\` \\|`, 'm'));
  for (const transport of transports) {
    const client = new Client({ name: 'guide', version: '1.0.0' });
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      names,
    );
    await client.close();
  }
});

test('the commands and the configuration of the README run, as shown', { skip }, async () => {
  const file = join(import.meta.dirname, '../../README.md');
  const text = (await readFile(file, 'utf8')).replaceAll('http://127.0.0.1:8787', service.url);
  const { key, client } = await service.account({ live: 100 });
  const { body } = await client.create(textToVideo);
  const [wait] = /^curl .*until=final.*$/m.exec(text)!;
  const env = { VIDGEN_KEY: key, TASK: String(body.taskId) };
  assert.equal(JSON.parse(await runShell(wait, env)).status, 'completed');

  const [, download, create] = /`(curl -fsSO .*)`, then `node (vidgen\.mjs .*?)`/.exec(text)!;
  await runShell(download!, {});
  await runShell(`"${process.execPath}" ${create}`, { ...env, VIDGEN_URL: service.url });
  assert.equal((await readFile(join(folder, 'boat.mp4'))).toString('latin1', 4, 8), 'ftyp');

  const [, config] = /^```ts\n(.*?)^```/ms.exec(text)!;
  await writeFile(join(folder, 'readme.config.ts'), config!);
  const { routes } = await readConfigFile(join(folder, 'readme.config.ts'));
  assert.deepEqual(routes, { 'vidgen-2-5': ['ark'] });
});
