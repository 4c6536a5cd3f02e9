/** The fake's videos, and how each kind of server shows them. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { DialectName } from '../../../server/providers/openai-videos/dialect.ts';
import type { ReceivedCreate } from './rules.ts';

export type FakeVideo = ReturnType<typeof newVideo>;

/** A test may change every field but the first two. */
export const newVideo = (dialect: DialectName, create: ReceivedCreate, createdSeconds: number) => ({
  id: newId(dialect),
  create,
  createdSeconds,
  status: 'queued',
  progress: 0,
  completedSeconds: null as number | null,
  expiresSeconds: null as number | null,
  error: null as object | string | null,
  hasFile: false,
  /** The URL of the file where it is not behind `/content`. */
  url: null as string | null,
});

function newId(dialect: DialectName): string {
  if (dialect === 'vllm') return `video_gen_${randomUUID().replaceAll('-', '')}`;
  if (dialect === 'sglang') return randomUUID();
  if (dialect === 'gateway') return gatewayId();
  if (dialect === 'openrouter') return `job-${randomUUID()}`;
  if (dialect === 'vidgen') return `task_${randomBytes(13).toString('hex')}`;
  return `video_${randomBytes(12).toString('hex')}`;
}

/** As LiteLLM's: provider, deployment and the upstream's id in base64 with its padding. */
function gatewayId(): string {
  const hex = (bytes: number) => randomBytes(bytes).toString('hex');
  const text = `model_id:${hex(32)};video_id:video_${hex(24)}`;
  return `video_${Buffer.from(`litellm:custom_llm_provider:openai;${text}`).toString('base64')}`;
}

export type ViewOptions = { readonly dialect: DialectName; readonly servedModel: string };

export function viewOf(video: FakeVideo, options: ViewOptions): Readonly<Record<string, unknown>> {
  const { fields } = video.create;
  const standard = {
    id: video.id,
    object: 'video',
    status: video.status,
    progress: video.progress,
    created_at: video.createdSeconds,
    completed_at: video.completedSeconds,
    expires_at: video.expiresSeconds,
    seconds: String(fields.seconds ?? '4'),
    size: fields.size ?? '720x1280',
    remixed_from_video_id: null,
    error: video.error,
  };
  switch (options.dialect) {
    case 'openai':
    case 'vidgen':
      return { ...standard, model: fields.model ?? 'sora-2', prompt: fields.prompt };
    case 'vllm':
      return {
        ...standard,
        model: options.servedModel,
        prompt: fields.prompt,
        quality: 'default',
        media_type: 'video/mp4',
        file_name: video.hasFile ? `${video.id}.mp4` : null,
        inference_time_s: video.hasFile ? 93.2 : null,
        stage_durations: {},
        peak_memory_mb: 0,
        action: null,
      };
    case 'sglang':
      return {
        ...standard,
        // SGLang serves one model and returns the name that was sent.
        model: fields.model ?? options.servedModel,
        quality: 'standard',
        url: video.url,
        // SGLang exposes the path on the server.
        file_path: video.hasFile && !video.url ? `/srv/outputs/${video.id}.mp4` : null,
      };
    case 'openrouter':
      return {
        id: video.id,
        polling_url: `/api/v1/videos/${video.id}`,
        status: video.status === 'queued' ? 'pending' : video.status,
        ...(video.error === null ? {} : { error: video.error }),
        ...(video.hasFile
          ? {
              unsigned_urls: [`https://openrouter.ai/api/v1/videos/${video.id}/content?index=0`],
              usage: { cost: 0.5, is_byok: false },
            }
          : {}),
      };
    case 'gateway':
      return {
        ...standard,
        model: fields.model,
        status: gatewayStatus[video.status] ?? video.status,
        ...(video.url ? { metadata: { url: video.url } } : {}),
      };
  }
}

/** Gateways have their own names for unfinished statuses. */
const gatewayStatus: Readonly<Record<string, string>> = {
  queued: 'pending',
  in_progress: 'processing',
};
