/** Whatever a response contains, an operation is a path below the configured host. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { operationFrom, pathsOf, requestIdOf } from './operation.ts';

const app = 'bytedance/seedance-2.0';
const id = '764cabcf-b745-4b3e-ae38-1200304cf45b';
const defaultPath = `${app}/requests/${id}`;
const target = { baseUrl: 'https://queue.fal.run', app };
const from = (responseUrl: unknown, baseUrl = target.baseUrl) =>
  operationFrom({ request_id: id, response_url: responseUrl }, { baseUrl, app });

test('keeps a result path on the configured host', () => {
  assert.equal(from(`https://queue.fal.run/${defaultPath}`), defaultPath);
  assert.equal(from(`https://queue.fal.run/${defaultPath}/response`), `${defaultPath}/response`);
  assert.equal(
    from(`https://queue.fal.run/acme/other/requests/${id}`),
    `acme/other/requests/${id}`,
  );
  assert.equal(
    from(`https://proxy.test/fal/${defaultPath}`, 'https://proxy.test/fal/'),
    defaultPath,
  );
});

test('uses the default path when the response names another host', () => {
  const elsewhere = [
    `https://evil.test/${defaultPath}`,
    `https://queue.fal.run.evil.test/${defaultPath}`,
    `https://queue.fal.run@evil.test/${defaultPath}`,
    `http://queue.fal.run/${defaultPath}`,
    `https://queue.fal.run/../${defaultPath}/../../x`,
    `https://queue.fal.run/${defaultPath}?next=https://evil.test`,
    `https://queue.fal.run/${app}/requests/another`,
    ...[undefined, null, 7, 'no URL'],
  ];
  for (const url of elsewhere) assert.equal(from(url), defaultPath, String(url));
});

test('has no operation without a request id', () => {
  for (const request_id of [undefined, '', 7, 'a b', 'a\n', '.', '..', 'x'.repeat(1_025)]) {
    assert.equal(operationFrom({ request_id }, target), undefined);
  }
  assert.equal(operationFrom('no record', target), undefined);
});

test('escapes what an id must not contain in a path', () => {
  const ids = {
    'a/b': 'a%2Fb',
    '../x': '..%2Fx',
    '%2e%2e': '%252e%252e',
    'a?b#c&d': 'a%3Fb%23c%26d',
    "it's(1)!*": "it's(1)!*",
    'ü😀': '%C3%BC%F0%9F%98%80',
    ['😀'.repeat(512)]: '%F0%9F%98%80'.repeat(512),
    ['/'.repeat(1_024)]: '%2F'.repeat(1_024),
  };
  for (const [request_id, escaped] of Object.entries(ids)) {
    const operation = operationFrom({ request_id }, target);
    assert.equal(operation, `${app}/requests/${escaped}`);
    assert.equal(pathsOf(operation, '')?.cancel, `/${operation}/cancel`);
    // A callback names the request alone.
    assert.equal(requestIdOf(request_id), escaped);
    assert.equal(pathsOf(escaped, app)?.response, `/${operation}`);
    const { pathname } = new URL(`/${operation}`, target.baseUrl);
    assert.equal(pathname, `/${operation}`, 'no part leads elsewhere');
  }
});

test('accepts nothing else as an operation', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const paths = pathsOf(text, app);
      if (paths)
        assert.match(paths.response, /^\/\w[\w./-]*\/requests\/[\w.~:=+@!*'()%-]+(\/response)?$/);
    }),
  );
  for (const malformed of [
    '',
    '../x/requests/1',
    'a/../requests/1',
    'a/b/requests/1?x',
    '//a/b',
    '..',
    '%2e%2E',
    'a/b/requests/.%2e',
  ]) {
    assert.equal(pathsOf(malformed, app), undefined, malformed);
  }
});
