/**
 * The README and the guides of ModelArk clients and MCP hosts are correct: their examples run, and
 * the official clients connect with the settings that they show.
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
import { readConfigFile } from '../../server/config-file.ts';
import { startJourney, textToVideo } from '../kit/journey.ts';

const journey = await startJourney();
const { service } = journey;
const folder = await mkdtemp(join(tmpdir(), 'vidgen-client-guides-'));
after(async () => {
  await journey.close();
  await rm(folder, { recursive: true });
});

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

test('the AI SDK creates a video at ModelArk’s endpoints, as shown', async () => {
  const { key } = await service.account({ live: 100 });
  const [example, aliases] = await blocksOf('modelark', 'ts');
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  const quick = example!.replace('pollTimeoutMs', 'pollIntervalMs: 10, pollTimeoutMs');
  await writeFile(join(folder, 'example.ts'), quick);
  const env = { ...process.env, NODE_NO_WARNINGS: '1', VIDGEN_KEY: key };
  const { stdout } = await run(process.execPath, ['example.ts'], { cwd: folder, env });
  assert.equal(stdout, 'video/mp4\n');
  const file = await readFile(join(folder, 'waves.mp4'));
  assert.equal(file.toString('latin1', 4, 8), 'ftyp');
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
