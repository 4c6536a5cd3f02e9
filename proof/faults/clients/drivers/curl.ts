/** `curl --retry`, which repeats a request as it was, as do many simple clients. */
import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deleteFolder, makeTemporaryFolder } from '../../../kit/temporary-folder.ts';
import { type ClientDriver, model, seconds } from '../driver.ts';
import { waitForTask } from './fetch.ts';

const run = promisify(execFile);

export const curlDriver: ClientDriver = {
  name: 'curl --retry',
  cutMethods: ['POST'],
  missing: () => (spawnSync('curl', ['--version']).status === 0 ? null : 'needs curl'),
  async create(intent) {
    const { url, key, prompt, idempotencyKey } = intent;
    const input = { prompt, duration: seconds, resolution: '480p' };
    const folder = makeTemporaryFolder('curl');
    // Unlike its standard output, a file does not keep what a failed attempt has written.
    const file = join(folder, 'response.json');
    try {
      await run('curl', [
        ...['--silent', '--show-error', '--fail', '--retry', '3', '--retry-all-errors'],
        ...['--header', `Authorization: Bearer ${key}`, '--json', JSON.stringify({ model, input })],
        ...['--header', `Idempotency-Key: ${idempotencyKey}`],
        ...['--output', file, `${url}/v1/videos/generations`],
      ]);
      await waitForTask(intent, String(JSON.parse(await readFile(file, 'utf8')).taskId));
    } finally {
      deleteFolder(folder);
    }
  },
};
