/**
 * URLs from customers and upstreams are requested through `egress` only, which guards them;
 * configured URLs by `openid`, `providers`, `storage` and `top-ups`. In the browser, the dashboard
 * makes requests in its `api` folder, and the guides and the reference in `pages/site`. `listen.ts`
 * connects to its own port, `doctor/reach.ts` to configured URLs, `traces.ts` to the configured
 * collector, and `messages/smtp.ts` to the configured mail server; `operator-host.ts` looks up
 * names. No other file can make a request.
 */
import { importsOf, linesMatching } from './source.ts';
import { formatProblem, isStandalone, isTestCode, sourceFiles, type Tree } from './tree.ts';

const callers: readonly RegExp[] = [
  /^server\/(egress|openid|providers|storage|top-ups)\//,
  /^server\/(process\/listen|config\/operator-host|telemetry\/traces)\.ts$/,
  /^server\/(doctor\/reach|messages\/smtp)\.ts$/,
  /^dashboard\/src\/api\//,
  /^server\/api\/pages\/site\//,
];

/** Modules that can reach the network, with the exports that only listen, parse or name. */
const reaching: Readonly<Record<string, readonly string[]>> = {
  undici: [],
  http: ['createServer', 'STATUS_CODES', 'METHODS', 'Server', 'IncomingMessage', 'ServerResponse'],
  https: ['createServer', 'Server'],
  http2: ['createServer', 'constants'],
  net: ['createServer', 'Server', 'isIP', 'isIPv4', 'isIPv6', 'BlockList', 'SocketAddress'],
  tls: ['createServer', 'Server'],
  dns: [],
  'dns/promises': [],
  dgram: [],
  // Stripe's client connects by itself, to Stripe or to the configured URL.
  stripe: [],
  nodemailer: [],
  'openid-client': [],
};

const globals = /(?<![.\w$])(?:globalThis\.)?(?:fetch|WebSocket|EventSource|XMLHttpRequest)\s*\(/g;
const builtinModules = /\bgetBuiltinModule\b/g;
const advice = 'go through server/egress, or move the call to a provider or the storage';

export function networkProblems(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(
      ([path]) =>
        !isTestCode(path) && !isStandalone(path) && !callers.some((caller) => caller.test(path)),
    )
    .flatMap(([path, text]) => {
      const imported = importsOf(text)
        .filter(({ typeOnly }) => !typeOnly)
        .filter(({ specifier, names }) => {
          const harmless = reaching[specifier.replace(/^node:/, '')];
          return harmless && !(names.length > 0 && names.every((name) => harmless.includes(name)));
        })
        .map(({ specifier, line }) =>
          formatProblem(path, line, `can reach the network by ${specifier}: ${advice}`),
        );
      const called = [globals, builtinModules]
        .flatMap((pattern) => linesMatching(text, pattern))
        .map((line) => formatProblem(path, line, `makes a request of its own: ${advice}`));
      return [...imported, ...called];
    });
}
