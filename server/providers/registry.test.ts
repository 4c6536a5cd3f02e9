/** Which provider serves a task, and which models are not served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ModelName, modelNames } from '@vidgen/contract/models.ts';
import { sampleGeneration } from '../../proof/kit/conformance-fixture.ts';
import type { Provider } from './provider.ts';
import { createRegistry, type RegistryOptions } from './registry.ts';
import { orderedBy } from './route.ts';

function provider(name: string, closed: string[] = []): Provider {
  const unused = () => Promise.reject(new Error(`${name} must not be called`));
  return {
    name,
    protection: 'none',
    typicalSeconds: () => 1,
    start: unused,
    status: unused,
    cancel: unused,
    close: async () => void closed.push(name),
  };
}

const preview = provider('preview');
const testPreview = provider('test-preview');
const ark = provider('ark');
const engine = provider('engine');
const registryOf = (change: Partial<RegistryOptions> = {}) =>
  createRegistry({ providers: {}, routes: {}, preview, testPreview, ...change });
const names = (route: readonly Provider[]) => route.map((one) => one.name);
const live = { mode: 'live', demo: false } as const;

test('sends tasks of test keys and of the demo account to a preview', () => {
  const registry = registryOf({ providers: { ark }, routes: { 'vidgen-2-5': ['ark'] } });
  for (const model of modelNames) {
    for (const demo of [true, false]) {
      assert.deepEqual(names(registry.routeFor(model, { mode: 'test', demo })), ['test-preview']);
    }
    assert.deepEqual(names(registry.routeFor(model, { mode: 'live', demo: true })), ['preview']);
  }
});

test('sends live tasks to the preview while no provider is configured', () => {
  const registry = registryOf();
  for (const model of modelNames) {
    assert.deepEqual(names(registry.routeFor(model, live)), ['preview']);
  }
  assert.deepEqual(registry.servedModels(), modelNames);
  assert.deepEqual(registry.unserved(), []);
});

test('does not serve a model without a route once a provider is configured', () => {
  const registry = registryOf({ providers: { ark }, routes: { 'vidgen-2-5': ['ark'] } });
  assert.deepEqual(registry.routeFor('vidgen-2-0', live), []);
  assert.deepEqual(registry.servedModels(), ['vidgen-2-5']);
  assert.deepEqual(registry.unserved(), ['vidgen-2-0', 'vidgen-2-0-fast', 'vidgen-2-0-mini']);
});

test('skips providers that are not configured for the model', () => {
  const old: Provider = { ...provider('old'), models: ['vidgen-2-0'] };
  const step = [
    { provider: 'old', weight: 1 },
    { provider: 'ark', weight: 1 },
  ];
  const registry = registryOf({
    providers: { old, ark },
    routes: { 'vidgen-2-0': ['old'], 'vidgen-2-5': ['old'], 'vidgen-2-0-fast': [step] },
  });
  assert.deepEqual(names(registry.routeFor('vidgen-2-0', live)), ['old']);
  assert.deepEqual(names(registry.routeFor('vidgen-2-5', live)), []);
  assert.deepEqual(names(registry.routeFor('vidgen-2-0-fast', live)), ['ark']);
  assert.deepEqual(registry.unserved(), ['vidgen-2-5', 'vidgen-2-0-mini']);
});

test('reports every configuration error at once', () => {
  const make = () =>
    registryOf({
      providers: { other: ark, preview: provider('preview') },
      routes: { 'vidgen-2-5': ['missing', 'other', 'other'] } as Record<ModelName, string[]>,
    });
  assert.throws(make, (error: Error) => {
    for (const part of [
      'provider other has the name ark',
      'the name preview is reserved for previews',
      'the route of vidgen-2-5 has the unknown provider missing',
      'the route of vidgen-2-5 has the provider other twice',
    ]) {
      assert.ok(error.message.includes(part), part);
    }
    return true;
  });
});

test('says which models only the preview serves', () => {
  assert.equal(registryOf({ providers: {} }).isPreviewed('vidgen-2-5'), true);
  const registry = registryOf({
    providers: { ark },
    routes: { 'vidgen-2-0': ['ark', 'preview'], 'vidgen-2-0-mini': ['preview'] },
  });
  assert.deepEqual(
    modelNames.filter((model) => registry.isPreviewed(model)),
    ['vidgen-2-0-mini'],
  );
});

test('closes every provider once', async () => {
  const closed: string[] = [];
  const registry = createRegistry({
    providers: { ark: provider('ark', closed) },
    routes: {},
    preview: provider('preview', closed),
    testPreview: provider('test-preview', closed),
  });
  await registry.close();
  assert.deepEqual(closed.sort(), ['ark', 'preview', 'test-preview']);
});

test('shares tasks by weight, each task always in the same order', () => {
  const step = [
    { provider: 'ark', weight: 3 },
    { provider: 'engine', weight: 1 },
  ];
  const registry = registryOf({
    providers: { ark, engine },
    routes: { 'vidgen-2-0': [step, 'preview'] },
  });
  const routeOf = (taskId: string) => names(registry.routeFor('vidgen-2-0', { ...live, taskId }));
  const ids = Array.from({ length: 4000 }, (_, index) => `task_${index}`);
  const first = ids.filter((id) => routeOf(id)[0] === 'ark').length / ids.length;
  assert.ok(Math.abs(first - 0.75) < 0.03, `${first} of the tasks came to ark first`);
  for (const id of ids.slice(0, 50)) {
    assert.deepEqual(routeOf(id), routeOf(id));
    assert.deepEqual(routeOf(id).toSorted(), ['ark', 'engine', 'preview']);
    assert.equal(routeOf(id).at(-1), 'preview');
  }
});

test('polls an operation with the credential it was started with', () => {
  const [newer, older] = ['NEW_KEY', 'OLD_KEY'].map((credential) => ({
    ...provider('ark'),
    credential,
  })) as [Provider, Provider];
  const registry = registryOf({ providers: { ark: [newer, older] } });
  assert.equal(registry.get('ark', 'OLD_KEY')?.credential, 'OLD_KEY');
  assert.equal(registry.get('ark', 'NEW_KEY')?.credential, 'NEW_KEY');
  // After its removal, the newest credential may still be able to read it.
  assert.equal(registry.get('ark', 'GONE')?.credential, 'NEW_KEY');
});

test('gives a reason only when no provider of the route can make a task', () => {
  const only480 = (name: string): Provider => ({
    ...provider(name),
    unsupportedReason: ({ resolution }) =>
      resolution === '480p' ? null : `${resolution} is not supported`,
  });
  const routes = { 'vidgen-2-0': ['ark'], 'vidgen-2-5': ['ark', 'engine'] };
  const registry = registryOf({ providers: { ark: only480('ark'), engine }, routes });
  const generation = sampleGeneration({ model: 'vidgen-2-0', resolution: '720p' });
  assert.equal(registry.unsupportedReason(generation, live), '720p is not supported');
  assert.equal(registry.unsupportedReason({ ...generation, resolution: '480p' }, live), null);
  assert.equal(registry.unsupportedReason({ ...generation, model: 'vidgen-2-5' }, live), null);
});

test('tries the cheapest of a step first for each task, and those of unknown cost last', () => {
  const costs = (perSecond: number, perTask: number) => ({
    costs: { models: { 'vidgen-2-5': { '720p': { perSecond, perTask } } } },
  });
  const registry = registryOf({
    providers: { ark, engine, other: provider('other') },
    limits: { ark: costs(0.1, 0), engine: costs(0.05, 0.4) },
    routes: { 'vidgen-2-5': [{ cheapest: ['other', 'engine', 'ark'] }] },
  });
  const orderFor = (duration: number) => {
    const generation = sampleGeneration({ model: 'vidgen-2-5', resolution: '720p', duration });
    const task = { taskId: 'task_1', generation, pricedSeconds: null };
    const reason = registry.costReason('vidgen-2-5', { ...task, provider: 'ark' });
    return [names(registry.routeFor('vidgen-2-5', { ...live, ...task })), reason];
  };
  assert.deepEqual(orderFor(5), [
    ['ark', 'engine', 'other'],
    'by cost: ark 0.5 USD, engine 0.65 USD, other unknown',
  ]);
  assert.deepEqual(orderFor(10)[0], ['engine', 'ark', 'other']);
  const [step] = registry.routeSteps('vidgen-2-5');
  assert.equal(orderedBy(step!), 'cost');
  assert.equal(registryOf().costReason('vidgen-2-5', { provider: 'preview' }), null);
});
