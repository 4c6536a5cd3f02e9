/** The contract of providers over ComfyUI, and what is special about it. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { fetchSample, harness, withDouble } from '../../../proof/kit/comfyui/bench.ts';
import { graphOf, writeWorkflows } from '../../../proof/kit/comfyui/workflows.ts';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import {
  sampleGeneration,
  sampleStart,
  sampleStatus,
} from '../../../proof/kit/conformance-bench.ts';
import { accepted } from '../../../proof/kit/conformance-faults.ts';
import { type Fault, json } from '../../../proof/kit/upstream-double.ts';
import { operationOf } from './values.ts';

describeConformance('comfyui', harness);

const withFrame: Partial<Generation> = {
  generationType: 'image-to-video',
  imageUrls: ['https://cdn.example.test/..%2f..%2fevil.py'],
  aspectRatio: 'adaptive',
};
const lost: Fault = { work: 'done', answer: 'lose' };

describe('starting', () => {
  test('sends the graph with the values of the task, and nothing else of its own', () =>
    withDouble(async (double, provider) => {
      const start = sampleStart({ prompt: 'a "fox"}, {{seed}} [1]', seed: 7 });
      const operation = await accepted(provider, start);
      assert.equal(operation, operationOf(start.reference));
      const graph = double.lastGraph();
      assert.equal(graph['6']!.inputs.text, 'a "fox"}, {{seed}} [1]');
      assert.equal(graph['3']!.inputs.seed, 7);
      assert.equal(graph['9']!.inputs.filename_prefix, `vidgen/${operation}`);
      assert.equal(Object.keys(graph).length, 9);
    }));

  test('uploads files under names of ours, and names no address', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider, sampleStart(withFrame));
      const name = `vidgen/${operation}-first-frame.png`;
      assert.deepEqual([...double.inputFiles.keys()], [name]);
      const graph = double.lastGraph();
      assert.equal(graph['20']!.inputs.image, name);
      assert.ok(!JSON.stringify(graph).includes('cdn.example.test'));
      const { width, height } = graph['5']!.inputs;
      assert.deepEqual([width, height], [1120, 832], 'the shape of the frame, 640 by 480');
    }));

  test('keeps the name of a file when it is sent again', () =>
    withDouble(async (double, provider) => {
      const start = sampleStart(withFrame);
      double.next('prompt', { work: 'not-done', answer: json(429, {}) });
      assert.equal((await provider.start(start)).outcome, 'throttled');
      await accepted(provider, start);
      assert.equal(double.inputFiles.size, 1);
    }));

  test('sends no prompt when a file cannot be uploaded, and says so as proof', () =>
    withDouble(async (double, provider) => {
      const table: readonly (readonly [Fault, string])[] = [
        [lost, 'throttled'],
        [{ work: 'not-done', answer: { status: 500, body: '' } }, 'throttled'],
        [{ work: 'done', answer: json(200, { name: 7 }) }, 'throttled'],
        [{ work: 'not-done', answer: { status: 413, body: '' } }, 'refused'],
      ];
      for (const [fault, outcome] of table) {
        double.next('upload', fault);
        assert.equal((await provider.start(sampleStart(withFrame))).outcome, outcome);
      }
      assert.ok(double.requests.every(({ path }) => path !== '/prompt'));
    }));

  test('blames a file that is not to be had or is no picture, and leaves none behind', async () => {
    const scratchFolder = await mkdtemp(join(tmpdir(), 'vidgen-comfyui-'));
    const page: typeof fetchSample = async ({ into }) => {
      await writeFile(into, '<html>please log in</html>');
      return { saved: true };
    };
    const nothing: typeof fetchSample = async () => ({ saved: false });
    for (const fetchMaterial of [page, nothing]) {
      await withDouble(
        async (double, provider) => {
          const answer = await provider.start(sampleStart(withFrame));
          const expected = { outcome: 'refused', reason: 'material', tryAnother: false };
          assert.partialDeepStrictEqual(answer, expected);
          assert.equal(double.requests.length, 0);
        },
        { adapter: { fetchMaterial, scratchFolder } },
      );
    }
    assert.deepEqual(await readdir(scratchFolder), []);
    await rm(scratchFolder, { recursive: true });
  });

  test('fetches once more when a host stumbles', () => {
    let tries = 0;
    const fetchMaterial: typeof fetchSample = async (request) => {
      tries += 1;
      return tries === 1 ? { saved: false } : await fetchSample(request);
    };
    return withDouble(
      async (_, provider) => {
        await accepted(provider, sampleStart(withFrame));
        assert.equal(tries, 2);
      },
      { adapter: { fetchMaterial } },
    );
  });

  test('tells the operator which node the server does not like', () =>
    withDouble(async (double, provider) => {
      const start = sampleStart(withFrame);
      // A server whose files were cleared between the upload and the prompt.
      double.inputFiles.set = () => double.inputFiles;
      const answer = await provider.start(start);
      assert.ok(answer.outcome === 'refused' && answer.tryAnother);
      assert.match(answer.detail, /node 20 LoadImage.*Invalid image file/);
    }));

  test('carries the key of a proxy everywhere, and none where there is none', async () => {
    await withDouble(
      async (double, provider) => {
        const start = sampleStart(withFrame);
        const operation = await accepted(provider, start);
        await provider.status(sampleStatus(operation, start));
        await provider.cancel(operation);
        const keys = new Set(double.requests.map(({ headers }) => headers.authorization));
        assert.deepEqual([...keys], ['Bearer proxy-key']);
      },
      { double: { apiKey: 'proxy-key' } },
    );
    await withDouble(async (double, provider) => {
      await accepted(provider);
      assert.equal(double.requests[0]!.headers.authorization, undefined);
    });
  });
});

describe('looking up a start whose answer was lost', () => {
  const found = async (prepare: 'queued' | 'running' | 'finished' | 'never', seconds: number) => {
    let outcome = '';
    await withDouble(async (double, provider) => {
      const start = sampleStart();
      const operation = operationOf(start.reference);
      const work = prepare === 'never' ? 'not-done' : 'done';
      double.next('prompt', { work, answer: 'lose' });
      assert.equal((await provider.start(start)).outcome, 'unknown');
      if (prepare === 'running') double.run(operation);
      if (prepare === 'finished') double.finish(operation);
      const answer = await provider.find!(start.reference, start.generation, seconds);
      if (answer.outcome === 'found') assert.equal(answer.operation, operation);
      outcome = answer.outcome;
    });
    return outcome;
  };

  test('finds it wherever it has come to', async () => {
    for (const state of ['queued', 'running', 'finished'] as const) {
      assert.equal(await found(state, 1), 'found');
    }
  });

  test('calls it absent only when it can no longer appear', async () => {
    assert.equal(await found('never', 1), 'unknown');
    assert.equal(await found('never', 300), 'unknown');
    assert.equal(await found('never', 3_600), 'absent');
  });

  test('proves nothing while the server cannot be read', () =>
    withDouble(async (double, provider) => {
      double.next('queue', { work: 'not-done', answer: json(502, {}) });
      const answer = await provider.find!('vg_1', sampleGeneration(), 3_600);
      assert.equal(answer.outcome, 'unknown');
    }));

  test('never says absent to a server that gives ids of its own', () =>
    withDouble(
      async (double, provider) => {
        const operation = await accepted(provider);
        assert.match(operation, /^own-/);
        double.next('prompt', lost);
        const start = sampleStart();
        await provider.start(start);
        const answer = await provider.find!(start.reference, start.generation, 3_600);
        assert.equal(answer.outcome, 'unknown');
      },
      { double: { givesOwnIds: true } },
    ));
});

describe('stopping', () => {
  test('interrupts what runs by its name, and waits until it has stopped', () =>
    withDouble(
      async (double, provider) => {
        const [first, second] = [await accepted(provider), await accepted(provider)];
        double.run(first);
        assert.equal(await provider.cancel(first), 'stopped');
        const words = double.requests.filter(({ path }) => path === '/interrupt');
        assert.deepEqual(
          words.map(({ body }) => JSON.parse(body.toString())),
          [{ prompt_id: first }],
        );
        double.run(second);
      },
      { double: { slowInterrupt: 1 } },
    ));

  test('leaves everyone else alone', () =>
    withDouble(async (double, provider) => {
      const starts = [sampleStart(), sampleStart(), sampleStart()];
      const [running, mine, other] = await Promise.all(
        starts.map((start) => accepted(provider, start)),
      );
      double.run(running!);
      assert.equal(await provider.cancel(mine!), 'stopped');
      const look = async (operation: string) =>
        (await provider.status(sampleStatus(operation, starts[0]!))).outcome;
      assert.deepEqual([await look(running!), await look(other!)], ['pending', 'pending']);
    }));

  test('says unknown when it cannot look', () =>
    withDouble(async (double, provider) => {
      const operation = await accepted(provider);
      double.next('queue', { work: 'not-done', answer: json(500, {}) });
      assert.equal(await provider.cancel(operation), 'unknown');
    }));
});

describe('looking', () => {
  test('is sent away when there are too many, each to a time of its own', () =>
    withDouble(
      async (_, provider) => {
        const start = sampleStart();
        const operation = await accepted(provider, start);
        const look = () => provider.status(sampleStatus(operation, start));
        assert.partialDeepStrictEqual(await look(), { outcome: 'pending', askAgainSeconds: 2 });
        assert.partialDeepStrictEqual(await look(), { outcome: 'pending', isSpread: true });
        assert.equal(await provider.cancel(operation), 'unknown');
      },
      { adapter: { getPerSecond: 0.01 } },
    ));

  test('reads the queue before the history, so that nothing falls between them', () =>
    withDouble(async (double, provider) => {
      const start = sampleStart();
      const operation = await accepted(provider, start);
      double.finish(operation);
      const before = double.requests.length;
      const answer = await provider.status(sampleStatus(operation, start));
      assert.equal(answer.outcome, 'completed');
      const paths = double.requests.slice(before).map(({ path }) => path);
      assert.deepEqual(paths, ['/queue', `/history/${operation}`]);
    }));

  test('looks twice before it calls a task lost', () =>
    withDouble(async (double, provider) => {
      const start = sampleStart();
      const operation = await accepted(provider, start);
      double.finish(operation);
      double.next('history', { work: 'not-done', answer: json(200, {}) });
      const answer = await provider.status(sampleStatus(operation, start));
      assert.equal(answer.outcome, 'completed');
    }));

  test('finds the video of a graph that ran before, which comes from the cache', async () => {
    const constant = { class_type: 'SaveVideo', inputs: { filename_prefix: 'vidgen' } };
    const written = await writeWorkflows({ text: graphOf({ '9': constant }) });
    await withDouble(
      async (double, provider) => {
        for (const start of [sampleStart({ seed: 7 }), sampleStart({ seed: 7 })]) {
          const operation = await accepted(provider, start);
          double.finish(operation);
          const answer = await provider.status(sampleStatus(operation, start));
          assert.equal(answer.outcome, 'completed', JSON.stringify(answer));
        }
      },
      { adapter: { workflows: { 'vidgen-2-0': written.workflows } } },
    );
    await rm(written.folder, { recursive: true });
  });

  test('does not call a wrong address a lost task', () =>
    withDouble(async (double, provider) => {
      const start = sampleStart();
      const operation = await accepted(provider, start);
      double.finish(operation);
      double.next('history', { work: 'not-done', answer: { status: 404, body: '404: Not Found' } });
      const answer = await provider.status(sampleStatus(operation, start));
      assert.ok(answer.outcome === 'pending' && answer.alert);
    }));

  test('says why a file could not be fetched', () =>
    withDouble(async (double, provider) => {
      const start = sampleStart();
      const operation = await accepted(provider, start);
      double.finish(operation, { '9': { gifs: [{ filename: 'gone.mp4', type: 'output' }] } });
      const answer = await provider.status(sampleStatus(operation, start));
      assert.ok(answer.outcome === 'completed' && 'download' in answer.video);
      const into = join(tmpdir(), `vidgen-${operation}`);
      const { signal } = new AbortController();
      const saved = await answer.video.download({ into, bytesMax: 1000, signal });
      assert.deepEqual(saved, { saved: false, detail: 'HTTP 404' });
    }));
});
