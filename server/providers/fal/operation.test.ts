/** Whatever a response contains, an operation is a path below the configured host. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { operationFrom, pathsOf } from './operation.ts';

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
  for (const request_id of [undefined, '', 7, '../x', 'a/b', '.', '..', 'x'.repeat(1_025)]) {
    assert.equal(operationFrom({ request_id }, target), undefined);
  }
  assert.equal(operationFrom('no record', target), undefined);
});

test('reads ids of other forms than today', () => {
  for (const request_id of ['req:1=', 'v2.a_b~c+d@e', 'x'.repeat(1_024)]) {
    const operation = operationFrom({ request_id }, target);
    assert.equal(operation, `${app}/requests/${request_id}`);
    assert.equal(pathsOf(operation, '')?.response, `/${operation}`);
  }
});

test('derives the paths of status, result and cancel', () => {
  const paths = {
    status: `/${defaultPath}/status?logs=0`,
    response: `/${defaultPath}`,
    cancel: `/${defaultPath}/cancel`,
  };
  assert.deepEqual(pathsOf(defaultPath, ''), paths);
  assert.deepEqual(pathsOf(`${defaultPath}/response`, ''), {
    ...paths,
    response: `/${defaultPath}/response`,
  });
  assert.deepEqual(pathsOf(id, app), paths, 'a callback names the request alone');
});

test('accepts nothing else as an operation', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const paths = pathsOf(text, app);
      if (paths)
        assert.match(paths.response, /^\/\w[\w./-]*\/requests\/[\w.~:=+@-]+(\/response)?$/);
    }),
  );
  for (const malformed of [
    '',
    '../x/requests/1',
    'a/../requests/1',
    'a/b/requests/1?x',
    '//a/b',
    '..',
  ]) {
    assert.equal(pathsOf(malformed, app), undefined, malformed);
  }
});
