/**
 * Two independent validators of content credentials: c2pa-rs as WebAssembly, which also checks the
 * chain of trust, and c2pa-ts, which does not.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { initSync, WasmReader } from '@contentauth/c2pa-wasm';

type Verdict = { readonly rust: boolean; readonly typescript: boolean };

let isReady = false;
let worker: Worker | undefined;

/** Whether each accepts the file, with this authority in PEM as the only one that is trusted. */
export async function validate(given: Uint8Array, authority: string): Promise<Verdict> {
  const bytes = new Uint8Array(given);
  if (!isReady) {
    const module = import.meta.resolve('@contentauth/c2pa-wasm/assets/c2pa_bg.wasm');
    initSync({ module: readFileSync(fileURLToPath(module)) });
    isReady = true;
  }
  return {
    rust: await isTrusted(bytes, authority).catch(() => false),
    typescript: await isValid(bytes),
  };
}

async function isTrusted(bytes: Uint8Array, authority: string): Promise<boolean> {
  const trust = { trust_anchors: authority };
  const settings = JSON.stringify({ verify: { verify_trust: true }, trust });
  const type = bytes[0] === 0xff ? 'image/jpeg' : bytes[0] === 0x89 ? 'image/png' : 'video/mp4';
  const reader = await WasmReader.fromBytes(type, bytes, settings);
  try {
    return JSON.parse(reader.json()).validation_state === 'Trusted';
  } finally {
    reader.free();
  }
}

/** A changed size of a box can make c2pa-ts take memory without end, which rejects the file. */
async function isValid(bytes: Uint8Array): Promise<boolean> {
  worker ??= new Worker(new URL('./c2pa-typescript.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  worker.ref();
  try {
    worker.postMessage(bytes);
    const [valid] = (await once(worker, 'message')) as [boolean];
    worker.unref();
    return valid;
  } catch (error) {
    worker = undefined;
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    return false;
  }
}
