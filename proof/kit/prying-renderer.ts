/** A renderer that was taken over: tries what the job's prompt lists, and reports what worked. */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { RenderJob } from '@vidgen/renderer/render-job.ts';

export type PryingAttempt = {
  readonly read?: string;
  readonly write?: string;
  readonly connect?: number;
};

const [jobFile = ''] = process.argv.slice(2);
const job = JSON.parse(readFileSync(jobFile, 'utf8')) as RenderJob;
const attempts = JSON.parse(job.generation.prompt) as PryingAttempt[];

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
  });

async function works({ read, write, connect: port }: PryingAttempt): Promise<boolean> {
  try {
    if (read !== undefined) readFileSync(read);
    if (write !== undefined) writeFileSync(write, 'planted');
    return port === undefined || (await canConnect(port));
  } catch {
    return false;
  }
}

const worked: boolean[] = [];
for (const attempt of attempts) worked.push(await works(attempt));
writeFileSync(job.out.video, JSON.stringify(worked));
process.stdout.write(`${JSON.stringify({ done: true, seconds: 1 })}\n`, () => process.exit());
