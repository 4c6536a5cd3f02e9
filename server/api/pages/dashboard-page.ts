/** The dashboard: one page for every path, and its files from the current build. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import type { ParsedDefinition } from '../http/endpoint-definition.ts';
import { routeNotFound } from '../http/error-response.ts';
import type { ApiRequest, ApiResponse } from '../http/handler.ts';

const dist = join(import.meta.dirname, '../../../dashboard/dist');

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};
const compressible = /^(text|image\/svg|application\/json)/;

type Encoding = 'br' | 'gzip' | 'identity';
type BuiltFile = {
  readonly contentType: string;
  /** Compressed at the first request and then kept: there are few files. */
  bytes(encoding: Encoding): Promise<Buffer>;
};
type Build = {
  /** Modification time of the page: a newer build is loaded without a restart. */
  readonly builtAtMs: number;
  readonly page: string;
  readonly files: ReadonlyMap<string, BuiltFile>;
};

async function builtFileResponse(
  file: BuiltFile,
  request: ApiRequest,
  cacheControl: string,
): Promise<ApiResponse> {
  const encoding = encodingFor(file, String(request.headers['accept-encoding'] ?? ''));
  const bytes = await file.bytes(encoding);
  const headers = {
    'content-type': file.contentType,
    'content-length': String(bytes.length),
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    vary: 'accept-encoding',
    'cache-control': cacheControl,
  };
  return request.method === 'HEAD' ? { headers } : { headers, stream: Readable.from([bytes]) };
}

function encodingFor({ contentType }: BuiltFile, accepted: string): Encoding {
  if (!compressible.test(contentType)) return 'identity';
  if (/\bbr\b/.test(accepted)) return 'br';
  return /\bgzip\b/.test(accepted) ? 'gzip' : 'identity';
}

let cachedBuild: Build | null = null;

/** Lists all files when a build is loaded: no other name is ever read from disk. */
export function currentBuild(): Build | null {
  const builtAtMs = statSync(join(dist, 'index.html'), { throwIfNoEntry: false })?.mtimeMs;
  if (builtAtMs === undefined) return null;
  if (cachedBuild?.builtAtMs === builtAtMs) return cachedBuild;
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  const names = ['', 'assets/'].flatMap((folder) =>
    existsSync(join(dist, folder))
      ? readdirSync(join(dist, folder), { withFileTypes: true })
          .filter((entry) => entry.isFile() && extname(entry.name) in contentTypes)
          .map(({ name }) => folder + name)
      : [],
  );
  const files = new Map(names.map((name) => [name, builtFile(name)]));
  cachedBuild = { builtAtMs, page, files };
  return cachedBuild;
}

function builtFile(name: string): BuiltFile {
  const bytes = readFileSync(join(dist, name));
  const encodings = new Map<Encoding, Promise<Buffer>>([['identity', Promise.resolve(bytes)]]);
  return {
    contentType: contentTypes[extname(name)] ?? 'application/octet-stream',
    bytes(encoding) {
      const found = encodings.get(encoding) ?? compress(bytes, encoding);
      encodings.set(encoding, found);
      return found;
    },
  };
}

async function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return await promisify(gzip)(bytes, { level: 9 });
  // Quality 9 is within 3 % of the best compression, and ten times as fast.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return await promisify(brotliCompress)(bytes, { params });
}

const dashboardAsset = endpoint({
  operationId: 'dashboardAsset',
  method: 'GET',
  path: '/dashboard/assets/:name',
  summary: 'Get a file of the dashboard',
  auth: 'none',
  hidden: true,
  allowsHead: true,
  params: z.object({ name: z.string() }),
  responses: { 200: { description: 'The file.', contentType: 'text/javascript' } },
  errors: { not_found: true },
  async handler(_services, request) {
    const file = currentBuild()?.files.get(`assets/${request.params.name}`);
    if (!file) throw routeNotFound();
    return await builtFileResponse(file, request, 'public, max-age=31536000, immutable');
  },
});

const definition: ParsedDefinition<undefined, undefined> = {
  operationId: 'dashboard',
  method: 'GET',
  path: '/dashboard',
  summary: 'Open the dashboard',
  auth: 'none',
  hidden: true,
  allowsHead: true,
  responses: { 200: { description: 'A page for people.', contentType: 'text/html' } },
  async handler({ presignResult, openedStorage }, request) {
    const build = currentBuild();
    const path = request.params['*'];
    const file = path === undefined ? undefined : build?.files.get(path);
    if (file) return await builtFileResponse(file, request, 'no-cache');
    if (path?.startsWith('assets/')) throw routeNotFound();
    if (!build) return notBuiltPage();
    const nonce = randomBytes(16).toString('base64');
    const text = build.page
      .replaceAll('"./', `"${pathToRoot(path)}`)
      .replace('name="style-nonce" content=""', `name="style-nonce" content="${nonce}"`);
    const media = presignResult && openedStorage.publicOrigin;
    return { text, headers: pageHeaders(`'self' 'nonce-${nonce}'`, "'self'", media) };
  },
};

/**
 * The dashboard's page, the same at `/`, `/dashboard` and every path below it. Its content security
 * policy allows scripts and requests of this service only.
 */
const dashboard = endpoint(definition);
const startPage = endpoint({
  ...definition,
  operationId: 'startPage',
  path: '/',
  summary: 'Redirect to the dashboard',
});
const dashboardPage = endpoint({
  ...definition,
  operationId: 'dashboardPage',
  path: '/dashboard/*',
});

/** The relative path from the page to `/dashboard/`. */
function pathToRoot(path: string | undefined): string {
  return path === undefined ? 'dashboard/' : '../'.repeat(path.split('/').length - 1);
}

/** `media` is the origin that results are redirected to, if they are. */
function pageHeaders(
  styles: string,
  scripts: string,
  media: string | null = null,
): Record<string, string> {
  const redirected = media === null ? '' : ` ${media}`;
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${scripts}`,
      `style-src ${styles}`,
      `img-src 'self' data: blob:${redirected}`,
      `media-src 'self' blob:${redirected}`,
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
  };
}

/** Shown when the service was started without `npm start`. */
function notBuiltPage(): ApiResponse {
  const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>vidgen</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"></head>
<body><main><h1>vidgen</h1>
<p>The video generation service is running here. Its dashboard has not been built yet:
<code>npm start</code> builds it and starts the service.</p>
<p><a href="/docs">The reference</a> works without it.</p>
</main></body></html>`;
  return { text, headers: pageHeaders("'none'", "'none'") };
}

export const dashboardEndpoints = [dashboardAsset, dashboard, startPage, dashboardPage];
