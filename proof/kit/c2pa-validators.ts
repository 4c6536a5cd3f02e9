/**
 * Two independent validators of content credentials: c2pa-rs as WebAssembly, which also checks the
 * chain of trust, and c2pa-ts, which does not.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { initSync, WasmReader } from '@contentauth/c2pa-wasm';
import { BMFF, JPEG, PNG } from '@trustnxt/c2pa-ts/asset';
import { SuperBox } from '@trustnxt/c2pa-ts/jumbf';
import { ManifestStore } from '@trustnxt/c2pa-ts/manifest';

type Verdict = { readonly rust: boolean; readonly typescript: boolean };

let isReady = false;

/** Whether each accepts the file, with this authority in PEM as the only one that is trusted. */
export async function validate(given: Uint8Array, authority: string): Promise<Verdict> {
  const bytes = new Uint8Array(given);
  if (!isReady) {
    const module = import.meta.resolve('@contentauth/c2pa-wasm/assets/c2pa_bg.wasm');
    initSync({ module: readFileSync(fileURLToPath(module)) });
    // 0.9.4 lists only the brands of still images.
    const { canReadBrands } = BMFF as unknown as { canReadBrands: Set<string> };
    for (const brand of ['isom', 'iso2', 'iso5', 'iso6', 'mp41', 'mp42']) canReadBrands.add(brand);
    isReady = true;
  }
  return {
    rust: await isTrusted(bytes, authority).catch(() => false),
    typescript: await isValid(bytes).catch(() => false),
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

async function isValid(bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const Asset = [JPEG, PNG, BMFF].find((one) => one.canRead(bytes));
  if (!Asset) return false;
  const asset = new Asset(bytes);
  const manifest = asset.getManifestJUMBF();
  if (!manifest) return false;
  const store = ManifestStore.read(SuperBox.fromBuffer(new Uint8Array(manifest)));
  return (await store.validate(asset)).isValid;
}
