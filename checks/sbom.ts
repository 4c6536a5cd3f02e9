/**
 * The software bill of materials of a release, in CycloneDX: what `npm sbom` lists of the lockfile,
 * with the licenses of what is in binaries, and the one file that is copied from a package. Time
 * and serial number follow from the commit, so it can be reproduced.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { binaryLicenseOf } from './binary-licenses.ts';

type Component = {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
  readonly licenses?: readonly {
    readonly expression?: string;
    readonly license?: { readonly id: string };
  }[];
};

/** `server/api/pages/site/scalar.js.gz`; its package would bring 270 others. */
export const copiedFile = {
  type: 'file',
  'bom-ref': 'scalar.js',
  name: 'scalar.js',
  version: '1.72.1',
  scope: 'required',
  hashes: [
    {
      alg: 'SHA-256',
      content: 'bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c',
    },
  ],
  licenses: [{ expression: 'MIT AND Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND ISC' }],
  purl: 'pkg:npm/%40scalar/api-reference@1.72.1#dist/browser/standalone.js',
};

/** Lists the lockfile in a folder; `builtAt` is the time of the commit. */
export function sbomOf(folder: string, { builtAt }: { readonly builtAt: string }) {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
  const listed = JSON.parse(
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 1024 ** 3 }),
  );
  const metadata = { timestamp: builtAt, component: listed.metadata.component };
  const components: Component[] = [...listed.components.map(withBinaryLicense), copiedFile];
  const content = { metadata, components, dependencies: listed.dependencies };
  const { $schema, bomFormat, specVersion } = listed;
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(content))}`;
  return { $schema, bomFormat, specVersion, serialNumber, version: 1, ...content };
}

function withBinaryLicense(component: Component): Component {
  const name = decodeURIComponent(/^pkg:npm\/(.+)@[^@]+$/.exec(component.purl)?.[1] ?? '');
  const binary = binaryLicenseOf(name);
  if (!binary) return component;
  const licenses = [{ expression: binary.license }];
  return Object.assign(component, { description: `Contains ${binary.contents}`, licenses });
}

/** Whether it is a tool of the development, and no part of an installation. */
export const isDevelopment = ({ properties = [] }: Component): boolean =>
  properties.some(({ name }) => name === 'cdx:npm:package:development');

function uuidOf(content: string): string {
  const digits = createHash('sha256').update(content).digest('hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `8${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}
