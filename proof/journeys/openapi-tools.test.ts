/**
 * The OpenAPI document in the tools that integrators use: two linters without an error, and a
 * generator of types whose types take the smallest create and tell tasks apart by their status.
 * Thorough: loads the linters and runs the compiler.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRules from '@stoplight/spectral-rulesets';
import openapiTypes, { astToString } from 'openapi-typescript';
import { root } from '../../checks/tree.ts';
import { startService, type TestService } from '../kit/service.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';

let service: TestService;
let document: string;
before(async () => {
  service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
  document = await (await fetch(`${service.url}/openapi.json`)).text();
});
after(() => service.close());

test('Spectral finds no error', async () => {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [[spectralRules.oas as never, 'recommended']] });
  const errors = (await spectral.run(document)).filter(({ severity }) => severity === 0);
  assert.deepEqual(
    errors.map(({ path, message }) => `${path.join('/')}: ${message}`),
    [],
  );
});

test('Redocly finds no error', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source: document, config, absoluteRef: 'openapi.json' });
  const errors = found.filter(({ severity }) => severity === 'error');
  assert.deepEqual(
    errors.map(({ location, message }) => `${location[0]?.pointer}: ${message}`),
    [],
  );
});

const program = `
import type { components } from './types.ts';
type Schemas = components['schemas'];
export const create: Schemas['CreateGenerationRequest'] = {
  model: 'vidgen-2-5',
  input: { prompt: 'A paper boat' },
};
export function urlOf(task: Schemas['Task']): string | undefined {
  if (task.status === 'completed') return task.data.results[0];
  if (task.status === 'failed') throw new Error(task.failed_reason);
  return undefined;
}
`;

test('openapi-typescript makes types for the smallest create and for tasks by status', async () => {
  const folder = makeTemporaryFolder('openapi-types');
  const file = (name: string) => join(folder, name);
  writeFileSync(file('types.ts'), astToString(await openapiTypes(JSON.parse(document))));
  writeFileSync(file('program.ts'), program);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--allowImportingTsExtensions',
    file('program.ts'),
  ];
  const args = [compiler, ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});
