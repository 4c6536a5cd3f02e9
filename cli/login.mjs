/** `login`: gets an API key after a member confirms a code in the dashboard. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentialsFile, requireWritable, storeKey } from './credentials.mjs';
import { CliError, printStatus, self, show } from './output.mjs';
import { request, serviceUrl } from './service.mjs';

export async function login() {
  requireWritable();
  const machine = hostname() || 'unknown';
  const options = { method: 'POST', isPublic: true };
  const started = await request('/logins', { ...options, body: { machine } });
  printStatus(`Open this page and confirm the code ${started.code}:\n\n  ${started.url}\n`);
  const deadline = Date.now() + started.expires_in * 1000;
  const body = { device_code: started.device_code };
  while (Date.now() < deadline) {
    await sleep(started.interval * 1000);
    const { key, ...collected } = await request('/logins/collect', { ...options, body });
    if (collected.status !== 'confirmed') continue;
    storeKey(serviceUrl, key);
    printStatus(`Logged in to ${collected.account_name} with a ${collected.mode} key, stored in:`);
    if (process.env.VIDGEN_KEY) printStatus('VIDGEN_KEY is set and takes precedence over it.');
    return show({ ...collected, file: credentialsFile }, () => credentialsFile);
  }
  throw new CliError(`The login timed out. Start again with: ${self} login`);
}
