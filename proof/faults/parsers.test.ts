/**
 * Sends hostile texts to every parser of bytes or text that a stranger, a customer's host or an
 * upstream chooses, and compares the processor time of short and long ones: work must grow with the
 * size of its input, not with a power of it. `checks/regexes.test.ts` proves it of expressions.
 * Thorough: takes processor time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import { parseTimestamp } from '@vidgen/contract/list.ts';
import { problemsOf } from '@vidgen/contract/problem.ts';
import { imageSizeOf } from '../../renderer/image-size.ts';
import { clientNetwork } from '../../server/accounts/people/client-network.ts';
import { csvLine } from '../../server/api/http/csv.ts';
import { findDuplicateKey } from '../../server/api/http/json-body.ts';
import { readCookie } from '../../server/api/http/session-cookie.ts';
import { checkUrl } from '../../server/egress/check-url.ts';
import { detectFileType, uploadFormatOf } from '../../server/materials/file-type.ts';
import { shapeInIndex } from '../../server/providers/openai-videos/video-shape.ts';
import { withoutParameters } from '../../server/providers/toolkit/generation-input.ts';
import { readMediaInfo } from '../../server/providers/toolkit/media-info.ts';
import { parseRange, rangeResponse } from '../../server/storage/range.ts';
import { redact } from '../../server/telemetry/log.ts';
import { box } from '../kit/hostile-file.ts';

const policy = { allowedNetworks: [], ownNetworks: [] };
const file = { bytesTotal: 1e6, contentType: 'video/mp4', etag: '"a"', fileName: 'a.mp4' };

const parsers: Readonly<Record<string, (text: string) => unknown>> = {
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
  'duplicate key': (text) => findDuplicateKey(JSON.stringify({ [text]: text })),
  'CSV cell': (text) => csvLine([text]),
};

type HostileInput = (size: number) => string;

const repeated =
  (piece: string, { before = '', end = '' } = {}): HostileInput =>
  (size) =>
    before + piece.repeat(Math.ceil(size / piece.length)) + end;

/** For parsers: markup, headers, numbers and containers without an end. */
const hostileTexts: readonly HostileInput[] = [
  ...' \t\n,-09=;%&[{:',
  ...['<!---->', '<!--', '<?xml ', 'bytes=', '0-', ' ,', '"a"', 'W/"', 'Bearer ', 'http://'],
  ...['a.', 'a@', '::', '\u200b-', '\xff\xd8\xff\x01', '\xff\xfe\0\x02', '\x1a\x45\xdf\xa3'],
  ...['ispe', 'ftyp', 'RIFF', 'GIF8', 'ID3'],
].flatMap((piece) => [repeated(piece), repeated(piece, { before: 'x', end: '\0' })]);

const small = 2_000;
const factor = 8;
/** Eight times the input takes eight times as long if linear, 64 times if quadratic. */
const growthMax = 24;
/** Below this, the resolution of the clock and the compiler decide. */
const microsecondsMin = 20_000;
const attempts = 3;

/** Returns a message if doubling the input does much more than double the work. */
function growthProblem(work: (size: number) => void): string | null {
  work(small);
  const large = leastMicroseconds(() => work(small * factor));
  if (large < microsecondsMin) return null;
  const growth =
    large /
    Math.max(
      1,
      leastMicroseconds(() => work(small)),
    );
  if (growth <= growthMax) return null;
  return `${factor} times the input took ${Math.round(growth)} times the processor time`;
}

function leastMicroseconds(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && least > microsecondsMin; attempt += 1) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

for (const [name, parse] of Object.entries(parsers)) {
  test(`${name} takes linear time`, () => {
    for (const input of hostileTexts) {
      assert.equal(
        growthProblem((size) => void parse(input(size))),
        null,
        input(20),
      );
    }
  });
}
