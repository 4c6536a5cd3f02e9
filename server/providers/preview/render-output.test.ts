/** What is accepted as the output of a render that may have been taken over. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { deleteFolder, makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { outputIn, removeOutput, takeOver } from './render-output.ts';

const folder = makeTemporaryFolder('render-output');
after(() => deleteFolder(folder));
const secret = join(folder, 'admin-token');
await writeFile(secret, 'a secret of the service');
const outFolder = join(folder, 'finished');
await mkdir(outFolder);
const rendered = { outcome: 'done', seconds: 1 } as const;

/** Takes over what `leave` has put in place of the video and of the last frame. */
async function outcomeOf(leave: (path: string) => Promise<unknown>, which: 'video' | 'lastFrame') {
  const workFolder = makeTemporaryFolder('render');
  const out = { video: join(outFolder, 'one.mp4'), lastFrame: join(outFolder, 'one.jpg') };
  const own = outputIn(workFolder, out);
  for (const name of ['video', 'lastFrame'] as const) {
    const path = own[name]!;
    await (name === which ? leave(path) : writeFile(path, 'a file'));
  }
  const { outcome } = await takeOver(rendered, { workFolder, out });
  const content = outcome === 'done' ? await readFile(out.video, 'utf8') : null;
  await removeOutput(out);
  deleteFolder(workFolder);
  return { outcome, content, left: await readdir(outFolder) };
}

test('takes files', async () => {
  const { outcome, content, left } = await outcomeOf((path) => writeFile(path, 'a video'), 'video');
  assert.deepEqual([outcome, content, left], ['done', 'a video', []]);
});

for (const which of ['video', 'lastFrame'] as const) {
  test(`takes no link, folder or pipe as ${which}, and deletes it`, async () => {
    const pipe = async (path: string) => assert.equal(spawnSync('mkfifo', [path]).status, 0);
    const filled = async (path: string) => {
      await mkdir(path);
      await writeFile(join(path, 'file'), '');
    };
    const link = (path: string) => symlink(secret, path);
    for (const leave of [link, filled, ...(process.platform === 'win32' ? [] : [pipe])]) {
      const { outcome, left } = await outcomeOf(leave, which);
      assert.deepEqual([outcome, left], ['failed', []], leave.name);
    }
    assert((await lstat(secret)).isFile());
  });
}
