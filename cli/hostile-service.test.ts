/** The CLI against a service that lies: nothing of its text controls the terminal of the user. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { runCommandLine, startCommandLine } from '../proof/kit/command-line.ts';
import { startLocalServer } from '../proof/kit/local-server.ts';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';

const settings = makeTemporaryFolder('cli');

async function serve(t: TestContext, listener: RequestListener) {
  const server = await startLocalServer(listener);
  t.after(() => server.close());
  return { url: server.origin, key: 'vg_live_1', settings };
}

/** Sets the title of the terminal, moves the cursor, and reverses the text that follows. */
const hostile = 'a\u001b]0;title\u0007b\u009b2Jc\rd\u007f\u202ee\u0008';
const taskId = `task_1;${hostile}\nx\ty`;

test('prints no control characters of the service', async (t) => {
  const task = { status: hostile, model: 'm', credits: 1, billing_status: 'b', created_at: 1 };
  const bodies: Record<string, unknown> = {
    '/v1/credits': { available: hostile, [`${hostile}\nname`]: { [hostile]: [hostile] } },
    '/v1/tasks': { items: [{ id: taskId, ...task, failed_reason: hostile }], next_cursor: hostile },
    '/v1/tasks/1': { id: taskId, ...task, failed_reason: hostile },
    '/v1/videos/generations': { taskId, credits: hostile },
  };
  const options = await serve(t, (request, response) => {
    const body = bodies[request.url!.split('?')[0]!];
    response.writeHead(body ? 200 : 400, { 'vidgen-ignored': 'a\u009b2Jb' });
    response.end(JSON.stringify(body ?? { error: { message: hostile } }));
  });
  const commands = [['credits'], ['list'], ['create', '--prompt', 'x'], ['models']];
  for (const command of [...commands, ['get', '1', '--wait'], ['list', '--json']]) {
    const { stdout, stderr } = await runCommandLine(command, options);
    assert.match(stdout + stderr, /a/, command.join(' '));
    assert.doesNotMatch(stdout + stderr, /(?![\n\t])\p{Cc}|\u202e/u);
    if (command[0] === 'list' && !command[1]) assert.equal(stdout.split('\n').length, 2);
    if (command[1] === '--json') assert.equal(JSON.parse(stdout).items[0].id, taskId);
    // What a user copies to a shell is one word.
    if (command[0] === 'create') assert.match(stderr, /get 'task_1;[^']*' --wait/);
  }
});

test('mcp follows no redirect, and says where it leads', async (t) => {
  let followed = 0;
  const elsewhere = await serve(t, (_, response) => {
    followed += 1;
    response.end('{}');
  });
  const options = await serve(t, (_, response) => {
    response.writeHead(307, { location: `${elsewhere.url}/mcp` }).end();
  });
  const child = startCommandLine(['mcp'], options);
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' })}\n`);
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const { id, error } = JSON.parse(output);
  assert.deepEqual([id, followed], [7, 0]);
  assert.match(error.message, /returned 307, moved to http:\/\/.*\/mcp\. Check VIDGEN_URL/);
});
