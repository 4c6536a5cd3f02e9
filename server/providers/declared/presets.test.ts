/** Provider conformance of the presets, each against a fake of its vendor. */
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { presetHarness } from '../../../proof/kit/declared/preset-harness.ts';
import { klingWire } from '../../../proof/kit/declared/vendors/kling.ts';
import { lumaWire } from '../../../proof/kit/declared/vendors/luma.ts';
import { minimaxWire } from '../../../proof/kit/declared/vendors/minimax.ts';
import { openrouterWire } from '../../../proof/kit/declared/vendors/openrouter.ts';
import { runwayWire } from '../../../proof/kit/declared/vendors/runway.ts';
import { wanWire } from '../../../proof/kit/declared/vendors/wan.ts';
import { wavespeedWire } from '../../../proof/kit/declared/vendors/wavespeed.ts';
import { xaiWire } from '../../../proof/kit/declared/vendors/xai.ts';

describeConformance('preset Kling', presetHarness(klingWire));
describeConformance('preset Luma', presetHarness(lumaWire));
describeConformance('preset MiniMax', presetHarness(minimaxWire));
describeConformance('preset OpenRouter', presetHarness(openrouterWire));
describeConformance('preset Runway', presetHarness(runwayWire));
describeConformance('preset Wan', presetHarness(wanWire));
describeConformance('preset WaveSpeed', presetHarness(wavespeedWire));
describeConformance('preset xAI', presetHarness(xaiWire));
