/** Every preset, as the dashboard offers them. */
import type { Presets } from '../server/providers/connected/settings.ts';
import { geminiOmni, geminiOmniModels } from './gemini-omni.ts';
import { kling, klingModels } from './kling.ts';
import { ltx, ltxModels } from './ltx.ts';
import { luma, lumaModels } from './luma.ts';
import { minimax, minimaxModels } from './minimax.ts';
import { minimaxH3, minimaxH3Models } from './minimax-h3.ts';
import { runway, runwayModels } from './runway.ts';
import { wanDescription, wanModels } from './wan.ts';
import { wavespeed, wavespeedModels } from './wavespeed.ts';
import { xai, xaiModels } from './xai.ts';

export const presets: Presets = {
  'gemini-omni': {
    label: 'Google Gemini Omni',
    provider: geminiOmni,
    models: geminiOmniModels,
  },
  kling: { label: 'Kling', provider: kling, models: klingModels },
  ltx: { label: 'LTX', provider: ltx, models: ltxModels },
  luma: { label: 'Luma Dream Machine', provider: luma, models: lumaModels },
  minimax: { label: 'MiniMax Hailuo', provider: minimax, models: minimaxModels },
  'minimax-h3': { label: 'MiniMax H3', provider: minimaxH3, models: minimaxH3Models },
  runway: { label: 'Runway', provider: runway, models: runwayModels },
  wan: {
    label: 'Wan (DashScope)',
    provider: wanDescription,
    models: wanModels,
    exampleUrl: 'https://ws-123.ap-southeast-1.maas.aliyuncs.com/api/v1',
  },
  wavespeed: { label: 'WaveSpeed', provider: wavespeed, models: wavespeedModels },
  xai: { label: 'xAI Grok Imagine', provider: xai, models: xaiModels },
};
