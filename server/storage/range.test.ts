/**
 * Responses to range requests: a table based on RFC 9110, then properties over arbitrary headers.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type FileRequest, parseRange, rangeResponse } from './range.ts';

const file = {
  bytesTotal: 10_000,
  contentType: 'video/mp4',
  etag: '"v1"',
  fileName: 'task_1.mp4',
};
const get = (headers: Omit<FileRequest, 'method'> = {}) => ({ method: 'GET' as const, ...headers });

test('responds to a plain request with the whole file', () => {
  assert.deepEqual(rangeResponse(get(), file), {
    status: 200,
    headers: {
      'accept-ranges': 'bytes',
      etag: '"v1"',
      'cache-control': 'private',
      'x-content-type-options': 'nosniff',
      'content-type': 'video/mp4',
      'content-disposition': 'inline; filename="task_1.mp4"',
      'content-length': '10000',
    },
    range: { start: 0, end: 9999 },
  });
});

test('parses every form of one range and ignores everything else', () => {
  const table = [
    ['bytes=0-499', { start: 0, end: 499 }],
    ['bytes=9500-', { start: 9500, end: 9999 }],
    ['bytes=-500', { start: 9500, end: 9999 }],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=-1', { start: 9999, end: 9999 }],
    ['bytes=0-', { start: 0, end: 9999 }],
    // Beyond the end: up to the last byte.
    ['bytes=9990-20000', { start: 9990, end: 9999 }],
    ['bytes=-20000', { start: 0, end: 9999 }],
    ['bytes=0-99999999999999999999999999', { start: 0, end: 9999 }],
    // Units are case-insensitive; lists can have empty elements and spaces (RFC 9110, 14.1, 5.6.1).
    ['BYTES=0-4', { start: 0, end: 4 }],
    ['bytes= 0-4 ', { start: 0, end: 4 }],
    ['bytes=,0-4,', { start: 0, end: 4 }],
    // Well-formed, but outside the file.
    ['bytes=10000-', 'unsatisfiable'],
    ['bytes=10000-10001', 'unsatisfiable'],
    ['bytes=99999999999999999999999999-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    // Several ranges: the whole file.
    ['bytes=0-4,10-14', 'whole'],
    ['bytes=0-4,99999-', 'whole'],
    // Malformed or another unit: ignored.
    ['bytes=5-4', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=', 'whole'],
    ['bytes', 'whole'],
    ['bytes 0-4', 'whole'],
    ['bytes =0-4', 'whole'],
    ['bytes=a-4', 'whole'],
    ['bytes=0x0-0x4', 'whole'],
    ['bytes=+0-4', 'whole'],
    ['bytes=0 - 4', 'whole'],
    ['bytes=--5', 'whole'],
    ['bytes=0-4-5', 'whole'],
    ['bytes=1.5-4', 'whole'],
    ['seconds=0-4', 'whole'],
    ['', 'whole'],
  ] as const;
  for (const [header, expected] of table) {
    assert.deepEqual(parseRange(header, 10_000), expected, header);
  }
});

test('an empty file has no ranges', () => {
  assert.equal(parseRange('bytes=0-', 0), 'unsatisfiable');
  assert.equal(parseRange('bytes=-5', 0), 'whole');
  const { status, headers, range } = rangeResponse(get(), { ...file, bytesTotal: 0 });
  assert.deepEqual([status, headers['content-length'], range], [200, '0', null]);
});

test('returns a range only of the version the client already has', () => {
  const statusFor = (ifRange: string) =>
    rangeResponse(get({ range: 'bytes=0-4', ifRange }), file).status;
  assert.equal(statusFor('"v1"'), 206);
  assert.equal(statusFor('"v2"'), 200);
  // Weak tags and dates cannot prove that the bytes are identical (RFC 9110, 13.1.5).
  assert.equal(statusFor('W/"v1"'), 200);
  assert.equal(statusFor('Sat, 14 Nov 2026 10:00:00 GMT'), 200);
  // An unsatisfiable range is then ignored as well.
  assert.equal(rangeResponse(get({ range: 'bytes=99999-', ifRange: '"v2"' }), file).status, 200);
});

test('responds with 304 to a client that has this version, before it considers a range', () => {
  for (const ifNoneMatch of ['"v1"', 'W/"v1"', '"a", "v1"', '*']) {
    const response = rangeResponse(get({ ifNoneMatch, range: 'bytes=0-4' }), file);
    assert.deepEqual([response.status, response.range], [304, null], ifNoneMatch);
    assert.equal(response.headers.etag, '"v1"');
    assert.equal(response.headers['content-length'], undefined);
  }
  assert.equal(rangeResponse(get({ ifNoneMatch: '"v2"' }), file).status, 200);
});

test('responds to HEAD like GET without a range and without a body', () => {
  const { status, headers, range } = rangeResponse({ method: 'HEAD', range: 'bytes=0-4' }, file);
  assert.equal(status, 200);
  assert.deepEqual(headers, rangeResponse(get(), file).headers);
  assert.equal(range, null);
});

test('a file name cannot break out of its header', () => {
  const fileName = 'a"b\r\nset-cookie: c=é/../d.mp4';
  const { headers } = rangeResponse(get(), { ...file, fileName });
  assert.equal(headers['content-disposition'], 'inline; filename="a-b--set-cookie--c---..-d.mp4"');
});

test('stays within the file and reports it correctly, whatever the headers', () => {
  const likely = fc.stringMatching(/^bytes=[-0-9, ]{0,12}$/);
  const header = fc.option(fc.oneof(likely, fc.string()), { nil: undefined });
  const size = fc.nat(500);
  fc.assert(
    fc.property(header, header, header, size, (range, ifRange, ifNoneMatch, bytesTotal) => {
      const request = get({ range, ifRange, ifNoneMatch });
      const response = rangeResponse(request, { ...file, bytesTotal });
      if (response.range === null) {
        assert(response.status === 304 || Number(response.headers['content-length']) === 0);
        return;
      }
      const { start, end } = response.range;
      assert(start >= 0 && start <= end && end < bytesTotal);
      assert.equal(response.headers['content-length'], String(end - start + 1));
      const part = `bytes ${start}-${end}/${bytesTotal}`;
      assert.equal(response.headers['content-range'], response.status === 206 ? part : undefined);
    }),
    { numRuns: 1000 },
  );
});

test('a long header is not parsed: the whole file is sent', () => {
  assert.equal(parseRange(`bytes=${' '.repeat(200)}0-1`, 10), 'whole');
  assert.equal(parseRange(`bytes=${'1 '.repeat(8_000)}x`, 10), 'whole');
  assert.deepEqual(parseRange(`bytes=0-1${' '.repeat(190)}`, 10), { start: 0, end: 1 });
});
