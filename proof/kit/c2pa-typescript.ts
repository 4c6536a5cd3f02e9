/** A thread that validates the files that it is sent with c2pa-ts. */
import { parentPort } from 'node:worker_threads';
import { BMFF, JPEG, PNG } from '@trustnxt/c2pa-ts/asset';
import { SuperBox } from '@trustnxt/c2pa-ts/jumbf';
import { ManifestStore } from '@trustnxt/c2pa-ts/manifest';

// 0.9.4 lists only the brands of still images.
const { canReadBrands } = BMFF as unknown as { canReadBrands: Set<string> };
for (const brand of ['isom', 'iso2', 'iso5', 'iso6', 'mp41', 'mp42']) canReadBrands.add(brand);

async function isValid(bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const Asset = [JPEG, PNG, BMFF].find((one) => one.canRead(bytes));
  if (!Asset) return false;
  const asset = new Asset(bytes);
  const manifest = asset.getManifestJUMBF();
  if (!manifest) return false;
  const store = ManifestStore.read(SuperBox.fromBuffer(new Uint8Array(manifest)));
  return (await store.validate(asset)).isValid;
}

parentPort!.on('message', async (bytes: Uint8Array<ArrayBuffer>) => {
  parentPort!.postMessage(await isValid(bytes).catch(() => false));
});
