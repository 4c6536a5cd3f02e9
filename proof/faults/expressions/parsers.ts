/** Every parser of bytes or text that a stranger, a customer's host or an upstream chooses. */

import { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import { parseTimestamp } from '@vidgen/contract/list.ts';
import { problemsOf } from '@vidgen/contract/problem.ts';
import { clientNetwork } from '../../../server/accounts/client-network.ts';
import { csvLine } from '../../../server/api/http/csv.ts';
import { findDuplicateKey } from '../../../server/api/http/duplicate-key.ts';
import { readCookie } from '../../../server/api/http/session-cookie.ts';
import { checkUrl } from '../../../server/egress/check-url.ts';
import { redact } from '../../../server/log.ts';
import { detectFileType } from '../../../server/materials/file-type.ts';
import { imageSizeOf } from '../../../server/materials/image-size.ts';
import { uploadFormatOf } from '../../../server/materials/upload-format.ts';
import { shapeInIndex } from '../../../server/providers/openai-videos/video-shape.ts';
import { withoutParameters } from '../../../server/providers/toolkit/generation-input.ts';
import { readMediaInfo } from '../../../server/providers/toolkit/media-info.ts';
import { parseRange, rangeResponse } from '../../../server/storage/range.ts';
import { box } from '../../kit/hostile-file.ts';

const policy = { allowedNetworks: [], ownNetworks: [] };
const file = { bytesTotal: 1e6, contentType: 'video/mp4', etag: '"a"', fileName: 'a.mp4' };

export const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'file type': (text) => detectFileType(Buffer.from(text, 'latin1')),
  'upload format': (text) => uploadFormatOf(Buffer.from(text, 'latin1'), text),
  'image size': (text) => imageSizeOf(Buffer.from(text, 'latin1')),
  'JPEG size': (text) => imageSizeOf(Buffer.from(`\xff\xd8${text}`, 'latin1')),
  'JPEG XL size': (text) => imageSizeOf(Buffer.from(`\0\0\0\x0cJXL \r\n\x87\n${text}`, 'latin1')),
  'TIFF size': (text) => imageSizeOf(Buffer.from(`II*\0\x08\0\0\0${text}`, 'latin1')),
  'video shape': (text) => shapeInIndex(Buffer.from(text, 'latin1')),
  'shape of a track': (text) => shapeInIndex(box('trak', Buffer.from(text, 'latin1'))),
  'media info': (text) => readMediaInfo(Buffer.from(text.padEnd(64), 'latin1'), 'image'),
  range: (text) => parseRange(text, 1e6),
  'If-None-Match': (text) => rangeResponse({ method: 'GET', ifNoneMatch: text }, file),
  'material URL': (text) => checkUrl(`https://a.example/${text}`, { kind: 'material', ...policy }),
  'host name': (text) => checkUrl(`https://${text}/`, { kind: 'callback', ...policy }),
  timestamp: (text) => parseTimestamp(text),
  'create request': (text) =>
    problemsOf(CreateGenerationRequest, { model: text, [text]: text, input: { prompt: text } }),
  'prompt for an upstream': (text) => withoutParameters(text),
  log: (text) => redact(text),
  'client network': (text) => clientNetwork(text),
  cookie: (text) => readCookie(text, 'https://a.example'),
  'duplicate key': (text) => findDuplicateKey(`{"a":"${text}"}`),
  'CSV cell': (text) => csvLine([text]),
};
