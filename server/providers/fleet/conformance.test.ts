/**
 * The adapters through a GPU box pass the suite that they pass without one: every request goes
 * through the endpoint, `vidgen worker` and its filter of paths.
 */
import { harnessThrough } from '../../../proof/kit/comfyui/fixture.ts';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { throughBox } from '../../../proof/kit/gpu-box.ts';
import { harnessOf } from '../../../proof/kit/openai-videos/fixture.ts';
import { useService } from '../../../proof/kit/service.ts';

const service = await useService();

describeConformance('comfyui through a box', harnessThrough(throughBox(service, 'comfyui')));
for (const dialect of ['vllm', 'sglang'] as const) {
  const harness = harnessOf(dialect, throughBox(service, 'openai-videos'));
  describeConformance(`openai-videos (${dialect}) through a box`, harness);
}
