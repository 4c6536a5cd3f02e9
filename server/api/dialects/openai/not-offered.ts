/** Endpoints of OpenAI that are not offered: clients get a 404 that says what to use instead. */
import type { Readable } from 'node:stream';
import { ApiError } from '../../../api-error.ts';
import type { Handler } from '../../http/handler.ts';

/** With `streamBody`, drops the body: a client that is still sending would not read the error. */
export const notOffered =
  (message: string): Handler =>
  async (_services, { body }) => {
    (body as Readable | undefined)?.resume();
    throw new ApiError('not_found', message);
  };
