/**
 * A disk that can lose power: an ext4 image on a loop device, mounted only in the namespaces of the
 * process that runs on it. A cut shuts the file system down, so that everything the kernel has not
 * written is lost, and kills every process in the namespaces. The mount and the loop device end
 * with the last of them, however the test ends.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { oneOf, type Random } from '../../../renderer/random.ts';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';

const run = promisify(execFile);

/** The image is sparse: it takes only the space that was written. */
const imageBytes = 1024 ** 3;
const pollMs = 10;
const mountMsMax = 30_000;

/** Data may reach the disk after the metadata that points to it, or much later than by default. */
const mountOptions = ['commit=5', 'commit=1', 'commit=300', 'data=writeback'] as const;

/** EXT4_GOING_FLAGS_LOGFLUSH and NOLOGFLUSH: whether the journal in memory is still written. */
const shutdownFlags = [1, 2] as const;

/**
 * Waits until its input closes and calls FS_IOC_SHUTDOWN. In Perl, because every Debian has it and
 * Node has no ioctl. The check of the device comes right before the call: what is shut down must be
 * the loop device (major number 7), never the disk it is on.
 */
const shutdownProgram = `
  my ($root, $flags) = @ARGV;
  <STDIN>;
  open(my $folder, '<', $root) or die "open: $!";
  my $device = (stat $folder)[0];
  die "not the disk" if $device >> 8 != 7 or $device == (stat "$root/..")[0];
  my $argument = pack('L', $flags);
  ioctl($folder, 0x8004587D, $argument) or die "shutdown: $!";
`;

/** Mounts the image and runs the rest of the arguments in place of the shell. */
const mountProgram = 'mount -o "loop,$0" "$1" "$2" && shift 2 && exec "$@"';

export class PowerDisk {
  /** Where the disk is mounted in the namespace of its process. */
  readonly path: string;
  readonly #image: string;

  private constructor(folder: string) {
    this.path = join(folder, 'disk');
    this.#image = join(folder, 'disk.img');
  }

  /** Makes an empty disk; its image is deleted with the folder. */
  static async make(folder: string): Promise<PowerDisk> {
    const disk = new PowerDisk(folder);
    mkdirSync(disk.path);
    writeFileSync(disk.#image, '');
    truncateSync(disk.#image, imageBytes);
    await run('mkfs.ext4', ['-q', '-F', disk.#image]);
    return disk;
  }

  /** The command that mounts the disk and runs on it the program in the arguments that follow. */
  mountCommand(random: Random): readonly string[] {
    const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
    const mount = ['sh', '-c', mountProgram, oneOf(random, mountOptions)];
    return ['unshare', ...namespaces, ...mount, this.#image, this.path];
  }

  /** A path on the disk as other processes see it. */
  pathIn({ pid }: PoweredProcess, path: string): string {
    return `/proc/${pid}/root${path}`;
  }

  /** Resolves when the process has mounted the disk; before that there is nothing to cut. */
  async waitUntilMounted({ pid }: PoweredProcess): Promise<void> {
    const fromMs = monotonicMs();
    while (!readFileSync(`/proc/${pid}/mounts`, 'utf8').includes(` ${this.path} ext4 `)) {
      if (monotonicMs() - fromMs > mountMsMax) throw new Error('the disk was not mounted');
      await sleep(pollMs);
    }
  }

  /**
   * Prepares a cut of the power of the process that was started with `mountCommand`, and returns
   * the function that cuts without delay: what the kernel has not written is lost, and every
   * process on the disk is killed.
   */
  prepareCut(process: PoweredProcess, random: Random): () => Promise<void> {
    const root = this.pathIn(process, this.path);
    const flags = oneOf(random, shutdownFlags);
    const shutdown = run('perl', ['-e', shutdownProgram, root, String(flags)]);
    return async () => {
      shutdown.child.stdin?.end();
      await shutdown;
      await process.kill();
      await this.waitUntilReleased();
    };
  }

  /** Resolves when the last process on the disk has ended and its loop device is free. */
  async waitUntilReleased(): Promise<void> {
    const fromMs = monotonicMs();
    // The kernel shows the path within its file system once the namespace is gone.
    const name = this.#image.split('/').slice(-2).join('/');
    while (usedImages().some((path) => path.endsWith(`/${name}`))) {
      if (monotonicMs() - fromMs > mountMsMax) throw new Error('the disk is still mounted');
      await sleep(pollMs);
    }
  }
}

/** A process started with `mountCommand`, the parent of those on the disk. */
type PoweredProcess = { readonly pid: number; kill(): Promise<unknown> };

function usedImages(): string[] {
  return readdirSync('/sys/block')
    .filter((name) => name.startsWith('loop'))
    .map((name) => backingFile(name));
}

function backingFile(device: string): string {
  try {
    return readFileSync(`/sys/block/${device}/loop/backing_file`, 'utf8').trim();
  } catch {
    return ''; // The device is free.
  }
}
