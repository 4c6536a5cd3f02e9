/** Any body gets a 400 with a useful message, quickly, and never a 500. */
import assert from 'node:assert/strict';
import { ReadableStream } from 'node:stream/web';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { useService } from '../../../proof/kit/service.ts';
import { findDuplicateKey, requireEmptyBody } from './json-body.ts';

const service = await useService({
  environment: { VIDGEN_ROLE: 'api', VIDGEN_RATE_CREATE: '0' },
});
const { key } = await service.account({ live: 1000 });

type SentBody = string | Buffer | ReadableStream;

async function post(body: SentBody | undefined, headers: Record<string, string> = {}) {
  const isStream = body instanceof ReadableStream;
  const response = await fetch(`${service.url}/v1/videos/generations`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...(body === undefined ? {} : { body: body as BodyInit }),
    ...(isStream ? { duplex: 'half' } : {}),
  } as RequestInit);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const good = JSON.stringify(textToVideo);
/** A valid request with its prompt, or another part, written by hand. */
const withPrompt = (json: string) => `{"model":"vidgen-2-0-mini","input":{"prompt":${json}}}`;
const withField = (field: string) => `{${field},"model":"vidgen-2-0-mini","input":{"prompt":"x"}}`;
const withInput = (field: string) => `{"model":"vidgen-2-0-mini","input":{"prompt":"x",${field}}}`;

function* halves(text: string) {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
const chunked = (text: string) => ReadableStream.from(halves(text));

describe('accepted', () => {
  const cases: [string, SentBody, Record<string, string>?][] = [
    ['a body in chunks', chunked(good)],
    ['white space around and inside', `\r\n\t ${JSON.stringify(textToVideo, null, 4)} \n`],
    ['a charset', good, { 'content-type': 'application/json; charset=utf-8' }],
    ['another case and spaces', good, { 'content-type': 'Application/JSON ;charset=UTF-8' }],
    ['an encoding that is none', good, { 'content-encoding': 'identity' }],
    ['10,000 characters of four bytes each', withPrompt(`"${'😀'.repeat(10_000)}"`)],
    ['escaped letters', withPrompt('"\\u0061\\ud83d\\ude00"')],
    ['a seed of minus zero', withInput('"seed":-0')],
    ['a whole number with a point and an exponent', withInput('"duration":0.5e1')],
  ];
  for (const [what, body, headers] of cases) {
    test(what, async () => {
      const response = await post(body, headers);
      assert.equal(response.status, 200, JSON.stringify(response.body));
    });
  }
});

describe('rejected for its type or size', () => {
  const contentType = 'The Content-Type header must be application/json.';
  const cases: [string, SentBody | undefined, Record<string, string>, string | RegExp][] = [
    ['text', good, { 'content-type': 'text/plain' }, contentType],
    ['nearly JSON', good, { 'content-type': 'application/jsonp' }, contentType],
    ['two types', good, { 'content-type': 'text/plain, application/json' }, contentType],
    ['no type at all', Buffer.from(good), { 'content-type': '' }, contentType],
    ['what is no type', good, { 'content-type': ';;;' }, contentType],
    ['nothing', undefined, {}, 'the body must be a JSON object (got nothing)'],
    ['gzip', gzipSync(good), { 'content-encoding': 'gzip' }, /uncompressed/],
    ['a byte over 1 MiB', ' '.repeat(1024 * 1024 + 1), {}, 'The body must be at most 1 MiB.'],
    ['20 MiB', Buffer.alloc(20 * 1024 * 1024), {}, 'The body must be at most 1 MiB.'],
    ['2 MiB in chunks', chunked(' '.repeat(2 << 20)), {}, 'The body must be at most 1 MiB.'],
  ];
  for (const [what, body, headers, message] of cases) {
    test(what, async () => {
      assertApiError(await post(body, headers), 'invalid_request', message);
    });
  }
});

describe('rejected as JSON', () => {
  const cases: [string, SentBody, string | RegExp][] = [
    ['cut off', '{"model":"vidgen-2-5"', /not valid JSON; see line 1, column 22\.$/],
    ['cut off in a word', 'tru', 'The body is not valid JSON (unexpected end).'],
    ['single quotes', "{'model': 1}", /not valid JSON; see line 1, column 2\.$/],
    ['a comma too many', '{\n"model": "x",\n}', /see line 3, column 1\.$/],
    ['a comment', '{} // so', /see line 1, column 4\.$/],
    ['NaN', withInput('"duration":NaN'), /unexpected character "N"/],
    ['a raw line break in text', withPrompt('"a\nb"'), /not valid JSON/],
    ['a NUL byte', `${good}\0`, /not valid JSON/],
    ['half a character', Buffer.from([0x22, 0xc3, 0x22]), 'The body must be UTF-8.'],
    ['UTF-16', Buffer.from(good, 'utf16le'), /not valid JSON|UTF-8/],
    ['a byte order mark', `\ufeff${good}`, 'The body must not start with a byte order mark.'],
    ['a name given twice', withField('"model":"vidgen-2-5"'), /each field once; "model" is repeat/],
    ['the same, escaped', withInput('"pro\\u006dpt":"y"'), /each field once; "prompt" is repeated/],
    ['50,000 brackets', '['.repeat(50_000), /not valid JSON/],
  ];
  for (const [what, body, message] of cases) {
    test(what, async () => {
      assertApiError(await post(body), 'invalid_request', message);
    });
  }
});

describe('rejected for its content', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const many = Array.from({ length: 20_000 }, (_, at) => `"f${at}":1`).join(',');
  const manyUrls = withInput(`"image_urls":[${'"x",'.repeat(40_000)}"x"]`);
  const onlyProto = '{"__proto__":{"model":"vidgen-2-5","input":{"prompt":"x"}}}';
  const misleading = withField('"\\u202egnp.exe\\n":1');
  const cases: [string, string | RegExp][] = [
    [nested(50_000), 'the body must be a JSON object (got an array)'],
    [withField(`"deep":${nested(40_000)}`), /^deep is not a known field/],
    [withInput(`"duration":${deep}`), 'input.duration must be an integer (got an object)'],
    [`{${many}}`, 'the body must contain at most 100 items (got 20000)'],
    [`[${'1,'.repeat(50_000)}1]`, 'The body must have at most 50,000 values and names.'],
    [manyUrls, /must contain at most 1000 items/],
    [withInput('"duration":1e400'), /^input\.duration must be an integer/],
    [withInput(`"seed":${'9'.repeat(100)}`), /^input\.seed/],
    [withField('"__proto__":{"model":"vidgen-2-5"}'), /^__proto__ is not a known field/],
    [withInput('"__proto__":{"duration":5}'), /^input\.__proto__ is not a known field/],
    [onlyProto, /^__proto__ is not a known/],
    [withField('"constructor":{"prototype":{}}'), /^constructor is not a known field/],
    [withInput('"toString":"x"'), /^input\.toString is not a known field/],
    [withField('"":1'), /^\[""\] is not a known field/],
    [withField(`"${'n'.repeat(5e5)}":1`), /is not a known field/],
    [misleading, /^\["\\u202egnp\.exe\\u000a"\] is not/],
  ];
  for (const [body, message] of cases) {
    test(`${body.slice(0, 40)}: ${message}`, async () => {
      assertApiError(await post(body), 'invalid_request', message);
    });
  }

  test('the service keeps running, as fast as before', async () => {
    assert.equal((await post(good)).status, 200);
    assert.equal(Object.hasOwn(Object.prototype, 'model'), false);
  });
});

describe('duplicate keys', () => {
  const cases: [string, string | null][] = [
    ['{}', null],
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', null],
    ['{"a":"b","b":"a"}', null],
    ['{"a":"\\"a\\":1","c":"{"}', null],
    ['["a","a"]', null],
    ['{"a":1,"a":2}', 'a'],
    ['{"x":[{"a":1,"\\u0061" :2}]}', 'a'],
    ['{"a":{"b":1},"c":2,"a":3}', 'a'],
    ['{"\\\\":1,"\\\\":2}', '\\'],
    ['{"":1,"":2}', ''],
  ];
  for (const [text, name] of cases) {
    test(text, () => assert.equal(findDuplicateKey(text), name));
  }
});

test('an endpoint without a body accepts none or an empty object', () => {
  const headers = { 'content-type': 'application/json' };
  for (const text of ['', '{}', ' { } ']) requireEmptyBody(Buffer.from(text), headers);
  for (const text of ['{"reason":"x"}', '[]', 'null', '{', '"x"']) {
    const code = 'invalid_request';
    assert.throws(() => requireEmptyBody(Buffer.from(text), headers), { code }, text);
  }
});
