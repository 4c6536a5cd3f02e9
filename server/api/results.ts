/**
 * `GET /results/:taskId/:name`: a result by its signed address, whole or in part. The signature
 * says who may; the database's clock says until when.
 */
import { unixSeconds } from '../clock.ts';
import { Refusal } from '../refusal.ts';
import { answerFile } from '../storage/range.ts';
import { verifyAddress } from '../storage/signed-address.ts';
import type { StoredFile } from '../storage/storage.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function getResult(service: Service, asked: Asked): Promise<Answer> {
  const { taskId = '', name = '' } = asked.params;
  const { expires = '', signature = '' } = asked.query;
  const verdict = verifyAddress({
    secret: service.addressSecret,
    taskId,
    name,
    expires: String(expires),
    signature: String(signature),
    nowSeconds: unixSeconds(),
  });
  if (verdict === 'forged') throw forged();
  const task = await service.tasks.find(taskId);
  if (!task?.result || task.expired) throw ended();
  const key = [task.result.video, task.result.lastFrame].find((one) => one?.endsWith(`/${name}`));
  const file = key ? await service.lifecycle.storage.open(key) : null;
  if (!file) throw ended();
  return await fileAnswer(file, { asked, fileName: `${taskId}.${name.split('.').at(-1)}` });
}

/** A stored file, whole or in part, as the request's conditions say. */
export async function fileAnswer(
  file: StoredFile,
  { asked, fileName }: { readonly asked: Asked; readonly fileName: string },
): Promise<Answer> {
  const { range, ifRange, ifNoneMatch } = conditionsOf(asked);
  const method = asked.method === 'HEAD' ? 'HEAD' : 'GET';
  const { bytesTotal, contentType, etag } = file;
  const answer = answerFile(
    { method, range, ifRange, ifNoneMatch },
    { bytesTotal, contentType, etag, fileName },
  );
  if (!answer.range || method === 'HEAD') {
    await file.close();
    return { status: answer.status, headers: answer.headers };
  }
  return { status: answer.status, headers: answer.headers, stream: file.read(answer.range) };
}

const forged = (): Refusal =>
  new Refusal('not_found', 'There is no such address: take it whole from data of the task.');

const ended = (): Refusal =>
  new Refusal('not_found', 'This result has expired: its files are deleted at video_expires_at.');

function conditionsOf({ headers }: Asked) {
  const one = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { range: one('range'), ifRange: one('if-range'), ifNoneMatch: one('if-none-match') };
}
