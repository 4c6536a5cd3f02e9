/** GPU boxes of a service: real connections of `vidgen worker`, which runs in this process. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { Tunnel } from '../../cli/tunnel.mjs';
import type { Reach } from './conformance-faults.ts';
import type { TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

export type BoxOptions = {
  readonly name: string;
  readonly kind: 'openai-videos' | 'comfyui';
  readonly engineUrl: string;
  readonly label?: string;
  readonly slots?: number;
  /** Another address of the service, such as a proxy. */
  readonly url?: string;
};

/** Creates a box at the service, without starting it. */
export async function createBox(service: TestService, { name, label }: BoxOptions) {
  const request = { name, ...(label === undefined ? {} : { label }) };
  const { status, body } = await service.admin.post('/admin/workers', request);
  assert.equal(status, 201, JSON.stringify(body));
  return body.token as string;
}

/** Creates a box and connects it. `end` disconnects it. */
export async function connectBox(service: TestService, options: BoxOptions) {
  const { name, kind, engineUrl, slots = 1, url = service.url } = options;
  const token = await createBox(service, options);
  const engine = new URL(engineUrl);
  const start = () => new Tunnel({ name, token, kind, slots, engine, urls: [url] });
  const tunnel = start();
  await waitUntil(() => isConnected(service, name));
  return { tunnel, token, start };
}

export const isConnected = (service: TestService, name: string): boolean =>
  service.parts.fleet.list().some((box) => box.name === name && box.addresses.length > 0);

let boxes = 0;

/** For conformance suites: each fake upstream becomes the engine of a new box. */
export function throughBox(service: TestService, kind: BoxOptions['kind']): Reach {
  return async (baseUrl) => {
    const name = `box-${++boxes}`;
    const { origin, pathname } = new URL(baseUrl);
    const { tunnel } = await connectBox(service, { name, kind, engineUrl: origin });
    after(() => tunnel.end());
    return {
      baseUrl: `http://${name}.box.invalid${pathname}`,
      openSocket: () => service.parts.fleet.open(name),
    };
  };
}
