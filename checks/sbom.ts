/**
 * The software bill of materials of a release, in CycloneDX 1.6: every locked package with its
 * license, checksum and dependencies. It follows from the sources alone, so it can be reproduced.
 */
import { createHash } from 'node:crypto';
import { binaryLicenseOf } from './binary-licenses.ts';

type Locked = {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};
type Packages = Readonly<Record<string, Locked>>;

export type Lockfile = {
  readonly name: string;
  readonly version: string;
  readonly packages: Packages;
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

/** `builtAt` is the time of the commit. */
export function sbomOf(lock: Lockfile, { builtAt }: { readonly builtAt: string }) {
  const { packages } = lock;
  const locations = Object.keys(packages).filter((location) => !packages[location]!.link);
  const [root = '', ...others] = locations;
  const content = {
    metadata: {
      timestamp: builtAt,
      component: { ...componentOf(root, packages), type: 'application' },
    },
    components: [...others.map((location) => componentOf(location, packages)), copiedFile],
    dependencies: locations.map((location) => ({
      ref: refOf(location, packages),
      dependsOn: [...new Set(dependenciesOf(location, packages))].sort(),
    })),
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
    ...content,
  };
}

function componentOf(location: string, packages: Packages) {
  const { version = '', license, integrity, dev, optional, devOptional } = packages[location]!;
  const [group, name] = splitName(nameOf(location, packages));
  const binary = binaryLicenseOf(nameOf(location, packages));
  const scope = dev ? 'excluded' : optional || devOptional ? 'optional' : 'required';
  return {
    type: 'library',
    'bom-ref': refOf(location, packages),
    ...(group === null ? {} : { group }),
    name,
    version,
    scope,
    ...(integrity === undefined ? {} : { hashes: hashesOf(integrity) }),
    ...(binary && { description: `Contains ${binary.contents}` }),
    ...(license === undefined ? {} : { licenses: [licenseOf(binary?.license ?? license)] }),
    purl: purlOf(nameOf(location, packages), version),
  };
}

/** The name in the lockfile if the folder has another, as for an alias. */
const nameOf = (location: string, packages: Packages): string =>
  packages[location]!.name ?? location.slice(location.lastIndexOf('node_modules/') + 13);

const splitName = (name: string): readonly [group: string | null, name: string] => {
  const [group, rest] = name.split('/');
  return rest === undefined ? [null, name] : [group!, rest];
};

const purlOf = (name: string, version: string): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A package can be in several folders, and so be several components. */
const refOf = (location: string, packages: Packages): string =>
  location === ''
    ? purlOf(packages['']!.name ?? '', packages['']!.version ?? '')
    : `${purlOf(nameOf(location, packages), packages[location]!.version ?? '')}#${location}`;

const licenseOf = (license: string) =>
  /[ ()]/.test(license) ? { expression: license } : { license: { id: license } };

function hashesOf(integrity: string) {
  return integrity.split(' ').map((hash) => {
    const [algorithm = '', base64 = ''] = hash.split(/-(.*)/s);
    const content = Buffer.from(base64, 'base64').toString('hex');
    return { alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content };
  });
}

/** Those that are installed; an optional one may be missing from the lockfile. */
function dependenciesOf(location: string, packages: Packages): string[] {
  const locked = packages[location]!;
  const names = [
    ...Object.keys(locked.dependencies ?? {}),
    ...Object.keys(locked.optionalDependencies ?? {}),
    ...Object.keys(locked.devDependencies ?? {}),
  ];
  return names.flatMap((name) => {
    const found = resolve(location, name, packages);
    return found === undefined ? [] : [refOf(found, packages)];
  });
}

/** Resolves like Node: beside the package, then in every folder above. */
function resolve(location: string, name: string, packages: Packages): string | undefined {
  const here = `${location === '' ? '' : `${location}/`}node_modules/${name}`;
  const found = packages[here];
  if (found) return found.link ? found.resolved : here;
  if (location === '') return undefined;
  const end = location.lastIndexOf('node_modules/');
  return resolve(end < 1 ? '' : location.slice(0, end - 1), name, packages);
}

/** A UUID that follows from the content. */
function uuidOf(content: string): string {
  const digits = createHash('sha256').update(content).digest('hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `8${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}
