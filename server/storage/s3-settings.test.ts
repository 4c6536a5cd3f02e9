/** The URL of a bucket is parsed completely or rejected with what is wrong; never with a secret. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseS3Url, placeOf, s3Location } from './s3-settings.ts';

test('parses bucket, prefix, region, endpoints and style', () => {
  const endpoint = 'https://s3.example.com:9000';
  const url = `s3://videos/a/b?region=eu-west-1&endpoint=${endpoint}&path_style=true`;
  const settings = parseS3Url(url);
  assert.deepEqual(settings, {
    bucket: 'videos',
    prefix: 'a/b/',
    region: 'eu-west-1',
    endpoint,
    publicEndpoint: endpoint,
    isPathStyle: true,
  });
  assert.equal(placeOf(settings), 's3://videos/a/b/');
  assert.deepEqual(s3Location(settings, endpoint), {
    origin: endpoint,
    host: 's3.example.com:9000',
    basePath: '/videos',
  });
  const open = parseS3Url(`${url}&public_endpoint=https://files.example.com`);
  assert.equal(open.publicEndpoint, 'https://files.example.com');
});

test('is AWS without an endpoint, with the bucket in the host name', () => {
  const settings = parseS3Url('s3://videos?region=eu-central-1');
  assert.equal(settings.prefix, '');
  assert.equal(
    s3Location(settings, settings.endpoint).origin,
    'https://videos.s3.eu-central-1.amazonaws.com',
  );
});

test('says what is wrong', () => {
  for (const [url, message] of [
    ['https://videos', /^must be s3:/],
    ['s3://', /must name a bucket|must be s3:/],
    ['s3://AKID:secret@videos', /must have no credentials/],
    ['s3://videos?secret=1', /must have no parameter secret/],
    ['s3://videos/a/../.b', /must have a prefix of/],
    ['s3://videos/a%20b', /must have a prefix of/],
    ['s3://videos?path_style=yes', /path_style=true or path_style=false/],
    ['s3://videos?region=a/b', /must have a region/],
    ['s3://videos?endpoint=s3.example.com', /must have endpoint of scheme/],
    ['s3://videos?endpoint=https://s3.example.com/path', /of scheme, host and port/],
    ['s3://videos?public_endpoint=ftp://x', /public_endpoint of scheme, host and port/],
  ] as const) {
    assert.throws(
      () => parseS3Url(url),
      (error: Error) => message.test(error.message) && !error.message.includes('AKID'),
      url,
    );
  }
});
