/**
 * Serves the styles and scripts of the guides and the reference, and the licenses in Scalar. Their
 * URLs contain a digest of their content, so browsers keep them until they change.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { routeNotFound } from '../http/error-response.ts';
import { currentBuild } from './dashboard-page.ts';
import { joinModules } from './join-modules.ts';

const folder = join(import.meta.dirname, 'site');
const foreverSeconds = 31_536_000;
const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.txt': 'text/plain',
};

type Asset = { readonly contentType: string; readonly text: string; readonly digest: string };
type Assets = ReadonlyMap<string, Asset>;

let loaded: { readonly fontName: string | undefined; readonly assets: Promise<Assets> } | undefined;

/** Read at the first request, and again when a newer build of the dashboard has another font. */
function loadAssets(): Promise<Assets> {
  const fontName = findFontName();
  if (loaded?.fontName !== fontName || loaded === undefined) {
    loaded = { fontName, assets: readAssets(fontName) };
  }
  return loaded.assets;
}

/** The font of the dashboard; without a build, pages use the system's. */
function findFontName(): string | undefined {
  const names = currentBuild()?.files.keys() ?? [];
  return [...names].find((name) => /^assets\/inter-latin-wght-normal-[\w-]+\.woff2$/.test(name));
}

async function readAssets(fontName: string | undefined): Promise<Assets> {
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const texts = {
    'site.css': fontFace(fontName) + (await read('site.css')),
    'guides.css': (await read('guides.css')) + (await read('code.css')),
    'reference.css': await read('reference.css'),
    'verify.css': await read('verify.css'),
    'theme.js': await read('theme.js'),
    'site.js': await joinModules(join(folder, 'site.mjs')),
    'scalar-notices.txt': await read('scalar-notices.txt'),
  };
  return new Map(
    Object.entries(texts).map(([name, text]) => {
      const contentType = contentTypes[extname(name)]!;
      const digest = createHash('sha256').update(text).digest('base64url').slice(0, 16);
      return [name, { contentType, text, digest }];
    }),
  );
}

const fontFace = (fontName: string | undefined): string =>
  fontName === undefined
    ? ''
    : `@font-face { font-family: "Inter Variable"; font-weight: 100 900; font-display: swap;
  src: url("../../dashboard/${fontName}") format("woff2-variations"); }\n`;

export async function loadAssetUrls(): Promise<(name: string) => string> {
  const assets = await loadAssets();
  return (name) => `docs/assets/${name}?v=${assets.get(name)!.digest}`;
}

export const siteAsset = endpoint({
  operationId: 'siteAsset',
  method: 'GET',
  path: '/docs/assets/:name',
  summary: 'Get a style or script of the docs',
  auth: 'none',
  hidden: true,
  allowsHead: true,
  params: z.object({ name: z.string() }),
  responses: { 200: { description: 'The file.', contentType: 'text/javascript' } },
  errors: { not_found: true },
  async handler(_services, request) {
    const asset = (await loadAssets()).get(request.params.name!);
    if (!asset) throw routeNotFound();
    const isCurrent = request.query.v === asset.digest;
    return {
      text: asset.text,
      headers: {
        'content-type': `${asset.contentType}; charset=utf-8`,
        // During a deployment, an older process may be asked for a newer version.
        'cache-control': isCurrent ? `public, max-age=${foreverSeconds}, immutable` : 'no-cache',
      },
    };
  },
});
