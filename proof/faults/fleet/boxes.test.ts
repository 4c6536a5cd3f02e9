/**
 * GPU boxes in networks of their own, which nothing can connect to, are killed and cut off at
 * random under load. No task is lost, none is made twice, and every failed one is refunded.
 * Thorough: a sample of a long fault test. `BOXES=50 RUNS=1000` is ten minutes of fifty boxes.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { between, randomFrom } from '../../../renderer/random.ts';
import { sleep } from '../../../server/process/clock.ts';
import { createBox, isConnected } from '../../kit/gpu-box.ts';
import { textToVideo } from '../../kit/journey.ts';
import { type HttpResponse, startService, type TestService } from '../../kit/service.ts';
import { deleteFolder, makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { faultTest } from '../fault-test.ts';

const boxesMax = Number(process.env.BOXES ?? 5);
const provider = {
  kind: 'openai-videos',
  dialect: 'vllm',
  baseUrl: 'tunnel://@gpus',
  usualSeconds: 1,
  models: { 'vidgen-2-0-mini': 'wan' },
} as const;
const program = fileURLToPath(new URL('./box-process.ts', import.meta.url));
const hostOf = (number: number): string => `10.213.${number}.1`;
const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });

/** Its link to this machine is a pair of devices that disappears with the process. */
class BoxInNamespace {
  readonly #number: number;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;

  constructor(number: number, args: readonly string[]) {
    this.#number = number;
    this.#args = args;
  }

  get #link(): string {
    return `vgbox${this.#number}`;
  }

  async start(): Promise<void> {
    const [near, far] = [1, 2].map((last) => `10.213.${this.#number}.${last}/30`);
    const setUp = `echo; read line; ip link set lo up; ip addr add ${far} dev inside`;
    const script = `${setUp}; ip link set inside up; exec "$@"`;
    const run = [process.execPath, program, ...this.#args];
    const command = ['--net', 'sh', '-c', script, 'sh', ...run];
    const child = spawn('unshare', command, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child = child;
    await once(child.stdout, 'data');
    child.stdout.resume();
    ip('link', 'add', this.#link, 'type', 'veth', 'peer', 'inside', 'netns', `${child.pid}`);
    ip('addr', 'add', near!, 'dev', this.#link);
    ip('link', 'set', this.#link, 'up');
    child.stdin.end('\n');
  }

  async kill(): Promise<void> {
    const exit = once(this.#child!, 'exit');
    this.#child!.kill('SIGKILL');
    await exit;
    // The system removes the devices of a network a moment later.
    try {
      ip('link', 'del', this.#link);
    } catch {}
  }

  setLink(state: 'up' | 'down'): void {
    ip('link', 'set', this.#link, state);
  }
}

/** The service listens on loopback alone: each link gets a way to it. */
async function openWay(host: string, port: number): Promise<() => void> {
  const way = createServer((socket) => {
    const inside = connect(port, '127.0.0.1');
    for (const one of [socket, inside]) {
      one.on('error', () => {}).on('close', () => [socket, inside].map((each) => each.destroy()));
    }
    socket.pipe(inside).pipe(socket);
  });
  await once(way.listen(port, host), 'listening');
  return () => void way.close();
}

faultTest('kills and partitions of GPU boxes under load', {
  sample: 6,
  requirements: ['namespaces'],
  async run({ runs, seed, log }) {
    const random = randomFrom(seed);
    const folder = makeTemporaryFolder('boxes');
    const createsFile = join(folder, 'creates');
    writeFileSync(createsFile, '');
    await using service = await startService({
      environment: {
        VIDGEN_TASK_TIMEOUT: '60s',
        VIDGEN_RATE_CREATE: '0',
        VIDGEN_RATE_STATUS: '0',
        VIDGEN_ALLOWED_HOSTS: Array.from({ length: boxesMax }, (_, at) => hostOf(at + 1)).join(','),
      },
      file: { providers: { gpus: provider }, routes: { 'vidgen-2-0-mini': ['gpus'] } },
    });
    const { port } = new URL(service.url);
    const closeWays: (() => void)[] = [];
    const boxes: BoxInNamespace[] = [];
    try {
      for (let number = 1; number <= boxesMax; number++) {
        const box = { name: `box-${number}`, label: 'gpus' };
        const token = await createBox(service, { ...box, kind: 'openai-videos', engineUrl: '' });
        const url = `http://${hostOf(number)}:${port}`;
        boxes.push(new BoxInNamespace(number, [box.name, url, token, createsFile]));
        await boxes.at(-1)!.start();
        closeWays.push(await openWay(hostOf(number), Number(port)));
        await waitUntil(() => isConnected(service, box.name));
      }
      return await disturb(service, { boxes, runs, random, createsFile, log });
    } finally {
      for (const box of boxes) await box.kill().catch(() => {});
      for (const close of closeWays) close();
      deleteFolder(folder);
    }
  },
});

async function disturb(
  service: TestService,
  {
    boxes,
    runs,
    random,
    createsFile,
    log,
  }: {
    readonly boxes: readonly BoxInNamespace[];
    readonly runs: number;
    readonly random: ReturnType<typeof randomFrom>;
    readonly createsFile: string;
    readonly log: (line: string) => void;
  },
): Promise<number> {
  const { client } = await service.account({ live: 1_000_000 });
  const final: TaskStatusResponse[] = [];
  let [isLoaded, created] = [true, 0];
  /** As a customer's program does, if a machine has too much to do. */
  const ask = async (send: () => Promise<HttpResponse>) => {
    for (;;) {
      const { status, body } = await send();
      if (status === 200) return body;
      counts.errors += 1;
      assert(status >= 500, JSON.stringify(body));
    }
  };
  const createTasks = async () => {
    while (isLoaded) {
      const prompt = `prompt number ${++created}`;
      const input = { ...textToVideo.input, prompt };
      const request = { ...textToVideo, input };
      const headers = { 'idempotency-key': prompt };
      const { taskId } = await ask(() => client.create(request, headers));
      let task: TaskStatusResponse;
      do {
        task = (await ask(() => client.get(`/v1/tasks/${taskId}?wait=20`))) as never;
      } while (task.status !== 'completed' && task.status !== 'failed');
      final.push(task);
    }
  };
  const counts = { kills: 0, partitions: 0, errors: 0 };
  const customers = Array.from({ length: boxes.length * 2 }, createTasks);
  const disturbances = new Map<BoxInNamespace, Promise<void>>();
  const disturbOne = async (box: BoxInNamespace) => {
    const downMs = between(random, { from: 500, to: 15_000 });
    if (random() < 0.5) {
      counts.kills += 1;
      await box.kill();
      await sleep(downMs);
      await box.start();
    } else {
      counts.partitions += 1;
      box.setLink('down');
      await sleep(downMs);
      box.setLink('up');
    }
    disturbances.delete(box);
  };
  for (let run = 0; run < runs; run++) {
    // A quarter of the boxes is away.
    if (disturbances.size >= boxes.length / 4) await Promise.race(disturbances.values());
    const others = boxes.filter((box) => !disturbances.has(box));
    const box = others[Math.floor(random() * others.length)]!;
    disturbances.set(box, disturbOne(box));
  }
  await Promise.all(disturbances.values());
  isLoaded = false;
  await Promise.all(customers);
  const creates = readFileSync(createsFile, 'utf8').trim().split('\n');
  const ends = Object.entries(Object.groupBy(final, ({ status }) => status));
  const figures = ends.map(([status, tasks]) => `${status} ${tasks?.length ?? 0}`);
  log(`${boxes.length} boxes, ${JSON.stringify(counts)}`);
  log(`${created} tasks: ${figures.join(', ')}; ${creates.length} creates at engines`);
  assert.equal(final.length, created, 'every task has an end');
  assert.deepEqual(creates.length, new Set(creates).size, 'none is made twice');
  for (const { status, billing_status } of final) {
    assert.equal(billing_status, status === 'completed' ? 'charged' : 'refunded');
  }
  await service.assertInvariants();
  return created;
}
