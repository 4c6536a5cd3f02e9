/** What the machine gives to the process: disk, memory, descriptors, and the modes of its files. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Finding } from '@vidgen/contract/admin-system.ts';
import { isOpenToOthers } from '../process/home-lock.ts';
import { sandboxWeakness } from '../process/sandbox.ts';
import { failure, ok, warning } from './finding.ts';

const gibibyte = 1024 ** 3;
const freeBytesWarning = 2 * gibibyte;
const freeBytesError = 64 * 1024 ** 2;
const freeFilesWarning = 10_000;
/** The process with its database, and one preview: see `previewSlotsFor` in config.ts. */
const memoryBytesWarning = 1.25 * gibibyte;
/** A socket per client, receiver and provider, and a file per download. */
const openFilesWarning = 4096;
const openFilesError = 512;

const formatGibibytes = (bytes: number): string => `${(bytes / gibibyte).toFixed(1)} GiB`;

export async function checkDisk(home: string): Promise<Finding[]> {
  const folder = nearestExisting(resolve(home));
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    const message = `${folder} cannot be written to by this user`;
    return [failure('disk', message, 'Change its owner, or set VIDGEN_HOME to another folder.')];
  }
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const message = `${formatGibibytes(freeBytes)} are free at ${folder}`;
  const remedy = 'Free space, lower VIDGEN_RESULT_TTL, or move VIDGEN_HOME to a larger disk.';
  if (freeBytes < freeBytesError) return [failure('disk', message, remedy)];
  if (freeBytes < freeBytesWarning) return [warning('disk', message, remedy)];
  if (files > 0 && ffree < freeFilesWarning) {
    return [warning('disk', `${ffree} more files fit at ${folder}`, remedy)];
  }
  return [ok('disk', message)];
}

/** Of this process, which has the limits of the service only if both are started the same way. */
export function checkLimits(limits = readLimits()): Finding[] {
  const memory = Math.min(totalmem(), process.constrainedMemory() || totalmem());
  const memoryMessage = `${formatGibibytes(memory)} of memory`;
  const findings = [
    memory < memoryBytesWarning
      ? warning(
          'process',
          memoryMessage,
          'Give it 2 GiB, or 1 GiB without previews and with a PostgreSQL of your own.',
        )
      : ok('process', memoryMessage),
  ];
  const openFiles = openFilesOf(limits);
  if (openFiles === null) return findings;
  const message = `${openFiles} open files are allowed`;
  const remedy = 'Raise it: LimitNOFILE in systemd, --ulimit nofile for containers, ulimit -n.';
  if (openFiles < openFilesError) findings.push(failure('process', message, remedy));
  else if (openFiles < openFilesWarning) findings.push(warning('process', message, remedy));
  else findings.push(ok('process', message));
  return findings;
}

/** As the log says at the start. */
export function checkSandbox(weakness = sandboxWeakness()): Finding[] {
  if (weakness === null) {
    return [ok('process', 'Files of customers are parsed in namespaces of their own')];
  }
  const { possible, fix } = weakness;
  const message = `A process that a customer's file has taken over could ${possible.join(', ')}`;
  return [warning('process', message, `${fix.charAt(0).toUpperCase()}${fix.slice(1)}.`)];
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1');
  } catch {
    return '';
  }
}

/** Null where the system has no `/proc`. */
function openFilesOf(limits: string): number | null {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
}

export function checkModes(options: {
  readonly home: string;
  readonly configFile: string | null;
}): Finding[] {
  const { home, configFile } = options;
  if (process.platform === 'win32') return [];
  const findings: Finding[] = [];
  if (existsSync(home)) {
    const { uid } = statSync(home);
    const current = process.getuid?.() ?? uid;
    if (uid !== current && current !== 0) {
      const message = `${home} belongs to user ${uid}, and this process is user ${current}`;
      findings.push(failure('files', message, `Run vidgen as user ${uid}, or change the owner.`));
    }
    if (isOpenToOthers(home)) {
      findings.push(
        warning('files', `Other users can list or change ${home}`, `Run chmod 700 ${home}.`),
      );
    }
    const token = join(home, 'admin-token');
    if (existsSync(token) && (statSync(token).mode & 0o077) !== 0) {
      const message = `Other users can read ${token}`;
      findings.push(failure('files', message, `Run chmod 600 ${token}, and replace the token.`));
    }
  }
  if (configFile !== null && existsSync(configFile) && (statSync(configFile).mode & 0o022) !== 0) {
    const message = `Other users can change ${configFile}, which the service runs as code`;
    findings.push(failure('files', message, `Run chmod go-w ${configFile}.`));
  }
  if (findings.length > 0) return findings;
  return [ok('files', 'The home directory and the configuration are closed to other users')];
}

/** The path, or the nearest folder above it that exists. */
const nearestExisting = (path: string): string =>
  existsSync(path) ? path : nearestExisting(dirname(path));
