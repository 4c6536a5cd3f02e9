/**
 * The dashboard, as `npm start` built it: one page for every address below `/dashboard`, and the
 * files it is made of. The page may run and ask only what comes from this service.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { routeNotFound } from '../http/error-response.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';

const dist = join(import.meta.dirname, '../../../dashboard/dist');

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
};
const compressible = /^(text|image\/svg|application\/json)/;

type Encoding = 'br' | 'gzip' | 'identity';
type BuiltFile = {
  readonly contentType: string;
  /** Compressed when first asked for, then kept: there are few, and everyone asks for the same. */
  bytes(encoding: Encoding): Promise<Buffer>;
};
type Build = {
  /** When it was put in place: a newer one is taken up without a restart. */
  readonly builtAtMs: number;
  readonly page: string;
  readonly files: ReadonlyMap<string, BuiltFile>;
};

/**
 * `GET /`, `GET /dashboard` and whatever lies below it: the page finds out by itself what to show.
 */
export async function dashboardPage(
  _services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
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
  return { text, headers: pageHeaders(`'self' 'nonce-${nonce}'`, "'self'") };
}

/** `GET /dashboard/assets/:name`: named by its content, so it may be kept for ever. */
export async function dashboardAsset(
  _services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const file = currentBuild()?.files.get(`assets/${request.params.name}`);
  if (!file) throw routeNotFound();
  return await builtFileResponse(file, request, 'public, max-age=31536000, immutable');
}

/** From the address of the page to the folder of the dashboard. */
function pathToRoot(path: string | undefined): string {
  return path === undefined ? 'dashboard/' : '../'.repeat(path.split('/').length - 1);
}

function pageHeaders(styles: string, scripts: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${scripts}`,
      `style-src ${styles}`,
      "img-src 'self' data: blob:",
      "media-src 'self' blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}

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
    'x-content-type-options': 'nosniff',
  };
  return request.method === 'HEAD' ? { headers } : { headers, stream: Readable.from([bytes]) };
}

function encodingFor({ contentType }: BuiltFile, accepted: string): Encoding {
  if (!compressible.test(contentType)) return 'identity';
  if (/\bbr\b/.test(accepted)) return 'br';
  return /\bgzip\b/.test(accepted) ? 'gzip' : 'identity';
}

let cachedBuild: Build | null = null;

/** Every file is listed when the build is taken up: a name that is not on the list is none. */
function currentBuild(): Build | null {
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
  // Quality 9: within 3 % of the densest, and ten times as fast.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return await promisify(brotliCompress)(bytes, { params });
}

/** The service was started without the set-up. */
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
