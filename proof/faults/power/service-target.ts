/**
 * The whole service on a disk that loses power: its home directory with the database and the
 * results. The provider, the receiver and the clients have other power and see every response.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../../renderer/random.ts';
import { sleep } from '../../../server/process/clock.ts';
import { resultFramePath, resultVideoPath } from '../../kit/result-server.ts';
import { clientOf } from '../../kit/service.ts';
import { deleteFolder, makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import type { Findings } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';
import { connectTo, damages, homeOn } from './cluster.ts';
import { PowerDisk, type PoweredProcess, signalProgram } from './disk.ts';
import type { CutTarget } from './trial.ts';

/** Load after the start: new tasks and those from before the cut must not block each other. */
const afterwardsMs = 300;

export type ServiceTargetOptions = {
  /** For the database of the installation, which the service does not use here. */
  readonly serverUrl: string;
  /** Whether the first start has an admin token, or makes one, which must survive as well. */
  readonly hasToken: boolean;
};

/** A held resource: the installation around the service, and the disk. */
export class ServiceTarget implements CutTarget {
  readonly name = 'the service';
  readonly disk: PowerDisk;
  readonly #folder: string;
  readonly #installation: Installation;
  #hasToken: boolean;
  #process: ServiceProcess | undefined;
  #inspected = 0;
  readonly #broken: string[] = [];

  private constructor(parts: {
    folder: string;
    disk: PowerDisk;
    installation: Installation;
    hasToken: boolean;
  }) {
    ({ folder: this.#folder, disk: this.disk } = parts);
    ({ installation: this.#installation, hasToken: this.#hasToken } = parts);
  }

  static async open({ serverUrl, hasToken }: ServiceTargetOptions): Promise<ServiceTarget> {
    const folder = makeTemporaryFolder('power');
    const disk = await PowerDisk.make(folder);
    const installation = await Installation.open({ serverUrl });
    return new ServiceTarget({ folder, disk, installation, hasToken });
  }

  start(random: Random): void {
    this.#process = this.#installation.start({
      through: this.disk.mountCommand(random),
      environment: {
        VIDGEN_HOME: homeOn(this.disk),
        VIDGEN_DATABASE_URL: '',
        ...(this.#hasToken ? {} : { VIDGEN_ADMIN_TOKEN: '' }),
      },
    });
  }

  get process(): PoweredProcess {
    return this.#process!;
  }

  async waitUntilServing(): Promise<void> {
    await this.#process!.waitUntilServing();
  }

  async startLoad(): Promise<void> {
    await this.#installation.account();
    this.#installation.clients.start();
  }

  async startCheckpoint(): Promise<void> {
    const client = await connectTo(this.disk, this.#process!);
    void client.query('checkpoint').catch(() => {});
  }

  async inspect(random: Random): Promise<Findings> {
    const { clients } = this.#installation;
    if (!this.#hasToken) await this.#takeToken(random);
    await this.startLoad();
    await sleep(afterwardsMs);
    await clients.stop();
    const taskNumbers = clients.taskNumbers(this.#inspected);
    this.#inspected += taskNumbers.length;
    const findings = await inspectEnd(this.#installation, { taskNumbers });
    const client = await connectTo(this.disk, this.#process!);
    const damaged = await damages(client);
    await client.end();
    const files = await this.#damagedResults();
    return { ...findings, broken: [...findings.broken, ...damaged, ...files, ...this.#broken] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#installation.close();
    await this.disk.waitUntilReleased();
    deleteFolder(this.#folder);
  }

  /** The generated token must work; then the service starts again with the token of the test. */
  async #takeToken(random: Random): Promise<void> {
    const path = join(homeOn(this.disk), 'admin-token');
    const token = readFileSync(this.disk.pathIn(this.#process!, path), 'utf8').trim();
    const { status } = await clientOf(this.#installation.url, token).get('/admin/audit');
    if (status !== 200) this.#broken.push(`the admin token in the file gets ${status}`);
    signalProgram(this.#process!.pid, 'SIGTERM');
    const { code } = await this.#process!.exited;
    if (code !== 0) this.#broken.push(`a stop ended with ${code}: ${this.#process!.output()}`);
    await this.disk.waitUntilReleased();
    this.#hasToken = true;
    this.start(random);
    await this.#process!.waitUntilServing();
  }

  /** Completed tasks of any cut whose result is not the whole file. */
  async #damagedResults(): Promise<string[]> {
    const { clients, completed, url } = this.#installation;
    const { key } = await this.#installation.account();
    const whole = await Promise.all(
      [resultVideoPath, resultFramePath].map((path) => readFile(path)),
    );
    const found: string[] = [];
    for (const taskNumber of completed) {
      const taskId = clients.acknowledged.get(taskNumber)!;
      const { data } = await clientOf(url, key).task(taskId);
      for (const result of data?.results ?? ['']) {
        const bytes = await fetch(result).then((response) => response.arrayBuffer());
        if (whole.some((file) => file.equals(Buffer.from(bytes)))) continue;
        found.push(`a result of ${taskId} has other content: ${bytes.byteLength} bytes`);
      }
    }
    return found;
  }
}
