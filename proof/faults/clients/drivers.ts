/** Every client that the fault test `clients` drives, in the order of the table. */
import type { ClientDriver } from './driver.ts';
import { aiSdkDriver } from './drivers/ai-sdk.ts';
import { byteDanceDriver } from './drivers/bytedance.ts';
import { curlDriver } from './drivers/curl.ts';
import { fetchDriver } from './drivers/fetch.ts';
import { mcpDriver } from './drivers/mcp.ts';
import { openAiDriver } from './drivers/openai.ts';
import { openRouterDriver } from './drivers/openrouter.ts';

export const drivers: readonly ClientDriver[] = [
  aiSdkDriver,
  openAiDriver,
  byteDanceDriver,
  openRouterDriver,
  mcpDriver,
  fetchDriver,
  curlDriver,
];
