/**
 * Exchanges from the documentation of the vendors behind the presets, and not from the presets: the
 * requests that starts become, and what the responses mean.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { kling } from '../../../presets/kling.ts';
import { luma } from '../../../presets/luma.ts';
import { minimax } from '../../../presets/minimax.ts';
import { runway } from '../../../presets/runway.ts';
import { wan } from '../../../presets/wan.ts';
import { wavespeed } from '../../../presets/wavespeed.ts';
import { xai } from '../../../presets/xai.ts';
import type { DeclaredSettings } from '../../../server/providers/declared/settings.ts';
import type { Protection } from '../../../server/providers/provider.ts';
import { callbackUrlAt } from '../conformance-faults.ts';
import { sampleGeneration } from '../conformance-fixture.ts';
import { type FakeResponse, json } from '../fake-upstream.ts';

export type Exchanges = {
  readonly preset: DeclaredSettings;
  readonly protection?: Protection;
  /** The model of each start, unless it names another. */
  readonly model?: string;
  readonly authHeader?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly starts: readonly (readonly [Partial<Generation>, request: string, body: object])[];
  /** The response to a start, with the operation `job-1`. */
  readonly accepted: FakeResponse;
  /** Other responses to a start, where the code and not the HTTP status has the meaning. */
  readonly declined?: readonly (readonly [FakeResponse, meaning: string])[];
  readonly poll: string;
  readonly polls: readonly (readonly [FakeResponse | readonly FakeResponse[], meaning: string])[];
  /** Of the operation `job-1`. */
  readonly callback?: object;
};

export const reference = 'ref_1';
export const callback_url = callbackUrlAt('preset')(reference);
export const { prompt } = sampleGeneration();
export const first = 'https://cdn.example.test/1.png';
export const last = 'https://cdn.example.test/2.png';
export const videoUrl = 'https://cdn.example.test/1.mp4';
export const audioUrl = 'https://cdn.example.test/1.mp3';
export const resultUrl = 'https://results.example.test/v.mp4';
export const frames = {
  generationType: 'image-to-video',
  imageUrls: [first, last],
  aspectRatio: 'adaptive',
} as const;
export const references = {
  generationType: 'reference-to-video',
  imageUrls: [first],
  videoUrls: [videoUrl],
  audioUrls: [audioUrl],
} as const;

export const klingTask = (data: object) => json(200, { code: 0, message: 'SUCCEED', data });
export const klingError = (status: number, code: number) => json(status, { code, message: 'no' });
const klingBody = {
  model_name: 'kling-v3',
  prompt,
  mode: 'std',
  duration: '5',
  sound: 'on',
  callback_url,
  external_task_id: reference,
};
const lumaBody = { model: 'ray-2', prompt, resolution: '720p', duration: '5s', callback_url };
const lumaFrame = (url: string) => ({ type: 'image', url });
const minimaxResponse = (code: number, fields: object = {}) =>
  json(200, { ...fields, base_resp: { status_code: code, status_msg: 'x' } });
const minimaxBody = {
  model: 'MiniMax-Hailuo-02',
  prompt,
  duration: 6,
  resolution: '768P',
  aigc_watermark: false,
};
const runwayBody = {
  model: 'seedance2',
  promptText: prompt,
  ratio: '1280:720',
  duration: 5,
  audio: true,
};
const runwayFailure = (failureCode: string) =>
  json(200, { status: 'FAILED', failure: 'An error occurred.', failureCode });
const wanParameters = { resolution: '720P', duration: 5, audio: true, watermark: false };
const wanBody = (media: readonly object[] | undefined, parameters: object) => ({
  model: 'wan3.0-video',
  input: media ? { prompt, media } : { prompt },
  parameters: { ...wanParameters, ...parameters },
});
export const wanOutput = (output: object) => json(200, { output, request_id: 'r-1' });
const wanStart = 'POST /api/v1/services/aigc/video-generation/video-synthesis';
const wavespeedPath = 'POST /api/v3/bytedance/seedance-2.0';
const webhook = `?${new URLSearchParams({ webhook: callback_url })}`;
const wavespeedBody = { prompt, resolution: '720p', duration: 5 };
const prediction = (data: object) => json(200, { code: 200, message: 'success', data });
const xaiBody = {
  model: 'grok-imagine-video-1.5',
  prompt,
  duration: 5,
  resolution: '720p',
  generate_audio: true,
};
const withheld = { respect_moderation: false };

export const vendors: Readonly<Record<string, Exchanges>> = {
  Kling: {
    preset: kling,
    protection: 'look-up',
    starts: [
      [{}, 'POST /v1/videos/text2video', { ...klingBody, aspect_ratio: '16:9' }],
      [frames, 'POST /v1/videos/image2video', { ...klingBody, image: first, image_tail: last }],
    ],
    accepted: klingTask({ task_id: 'job-1', task_status: 'submitted' }),
    declined: [
      [klingError(429, 1303), 'throttled'],
      [klingError(400, 1301), 'rejected prompt'],
      [klingError(400, 1201), 'failed'],
      // The resource pack is used up: waiting does not help.
      [klingError(429, 1102), 'failed'],
    ],
    poll: 'GET /v1/videos/text2video/job-1',
    polls: [
      [klingTask({ task_status: 'submitted' }), 'pending'],
      [klingTask({ task_status: 'processing' }), 'pending'],
      [
        klingTask({ task_status: 'succeed', task_result: { videos: [{ url: resultUrl }] } }),
        'completed',
      ],
      [klingTask({ task_status: 'failed', task_status_msg: 'please try again' }), 'failed'],
      [
        klingTask({ task_status: 'failed', task_status_msg: 'the risk control system' }),
        'rejected',
      ],
      [klingError(404, 1203), 'lost'],
    ],
    callback: { task_id: 'job-1', task_status: 'succeed' },
  },
  Luma: {
    preset: luma,
    protection: 'look-up',
    starts: [
      [{}, 'POST /dream-machine/v1/generations/video', { ...lumaBody, aspect_ratio: '16:9' }],
      [
        frames,
        'POST /dream-machine/v1/generations/video',
        { ...lumaBody, keyframes: { frame0: lumaFrame(first), frame1: lumaFrame(last) } },
      ],
    ],
    accepted: json(201, { id: 'job-1', state: 'queued' }),
    poll: 'GET /dream-machine/v1/generations/job-1',
    polls: [
      [json(200, { state: 'dreaming' }), 'pending'],
      [json(200, { state: 'completed', assets: { video: resultUrl } }), 'completed'],
      [json(200, { state: 'failed', failure_reason: 'internal error' }), 'failed'],
      [
        json(200, { state: 'failed', failure_reason: 'Advanced prompt moderation failed' }),
        'rejected prompt',
      ],
      [json(404, { detail: 'Generation not found' }), 'lost'],
    ],
    callback: { id: 'job-1', state: 'completed' },
  },
  MiniMax: {
    preset: minimax,
    starts: [
      [{ duration: 6 }, 'POST /v1/video_generation', minimaxBody],
      [
        { ...frames, duration: 6 },
        'POST /v1/video_generation',
        { ...minimaxBody, first_frame_image: first, last_frame_image: last },
      ],
    ],
    accepted: minimaxResponse(0, { task_id: 'job-1' }),
    declined: [
      [minimaxResponse(9999), 'unknown'],
      [minimaxResponse(1002), 'throttled'],
      [minimaxResponse(1026), 'rejected prompt'],
      [minimaxResponse(2013), 'failed'],
      [minimaxResponse(1008), 'failed'],
    ],
    poll: 'GET /v1/query/video_generation?task_id=job-1',
    polls: [
      [minimaxResponse(0, { status: 'Processing' }), 'pending'],
      [
        [
          minimaxResponse(0, { status: 'Success', file_id: 'f/1' }),
          minimaxResponse(0, { file: { download_url: resultUrl } }),
        ],
        'completed',
      ],
      [minimaxResponse(0, { status: 'Fail' }), 'failed'],
      [minimaxResponse(1027, { status: 'Fail' }), 'rejected output'],
      // The response for an unknown task is not documented.
      [minimaxResponse(2013), 'alert'],
    ],
  },
  Runway: {
    preset: runway,
    headers: { 'x-runway-version': '2024-11-06' },
    starts: [
      [{ seed: 0 }, 'POST /v1/text_to_video', { ...runwayBody, seed: 0 }],
      [
        { model: 'vidgen-2-5', resolution: '480p', duration: 30 },
        'POST /v1/text_to_video',
        { ...runwayBody, model: 'seedance2_5', ratio: '854:480', duration: 30 },
      ],
      [
        { ...frames, aspectRatio: '16:9' },
        'POST /v1/image_to_video',
        {
          ...runwayBody,
          promptImage: [
            { uri: first, position: 'first' },
            { uri: last, position: 'last' },
          ],
        },
      ],
      [
        references,
        'POST /v1/text_to_video',
        {
          ...runwayBody,
          references: [{ uri: first }],
          referenceVideos: [{ type: 'video', uri: videoUrl }],
          referenceAudio: [{ type: 'audio', uri: audioUrl }],
        },
      ],
    ],
    accepted: json(200, { id: 'job-1', estimatedCost: { credits: 25 } }),
    poll: 'GET /v1/tasks/job-1',
    polls: [
      [json(200, { status: 'THROTTLED' }), 'pending'],
      [json(200, { status: 'RUNNING', progress: 0.4 }), 'pending 0.4'],
      [json(200, { status: 'SUCCEEDED', output: [resultUrl] }), 'completed'],
      [runwayFailure('INTERNAL.BAD_OUTPUT.CODE01'), 'failed'],
      [runwayFailure('SAFETY.OUTPUT.VIDEO'), 'rejected output'],
      [runwayFailure('ASSET.INVALID'), 'material'],
      [json(200, { status: 'CANCELLED' }), 'failed'],
      [json(404, { error: 'Task not found' }), 'lost'],
    ],
  },
  Wan: {
    preset: wan({ workspace: 'ws-1' }),
    starts: [
      // Seeds are folded into what it takes.
      [{ seed: 2_147_483_648 }, wanStart, wanBody(undefined, { ratio: '16:9', seed: 0 })],
      [
        frames,
        wanStart,
        wanBody(
          [
            { type: 'first_frame', url: first },
            { type: 'last_frame', url: last },
          ],
          {},
        ),
      ],
      [
        references,
        wanStart,
        wanBody(
          [
            { type: 'reference_image', url: first },
            { type: 'reference_video', url: videoUrl },
            { type: 'reference_audio', url: audioUrl },
          ],
          { ratio: '16:9' },
        ),
      ],
    ],
    accepted: wanOutput({ task_id: 'job-1', task_status: 'PENDING' }),
    declined: [[json(400, { code: 'DataInspectionFailed', message: 'x' }), 'rejected prompt']],
    poll: 'GET /api/v1/tasks/job-1',
    polls: [
      [wanOutput({ task_status: 'RUNNING' }), 'pending'],
      [wanOutput({ task_status: 'SUCCEEDED', video_url: resultUrl }), 'completed'],
      [wanOutput({ task_status: 'FAILED', code: 'InternalError' }), 'failed'],
      [wanOutput({ task_status: 'FAILED', code: 'DataInspectionFailed' }), 'rejected'],
      [wanOutput({ task_status: 'FAILED', code: 'InvalidURL' }), 'material'],
      // Also the state of a task that does not exist.
      [wanOutput({ task_status: 'UNKNOWN' }), 'alert'],
    ],
  },
  WaveSpeed: {
    preset: wavespeed,
    starts: [
      [{}, `${wavespeedPath}/text-to-video${webhook}`, { ...wavespeedBody, aspect_ratio: '16:9' }],
      [
        frames,
        `${wavespeedPath}/image-to-video${webhook}`,
        { ...wavespeedBody, image: first, last_image: last },
      ],
      [
        references,
        `${wavespeedPath}/reference-to-video${webhook}`,
        {
          ...wavespeedBody,
          aspect_ratio: '16:9',
          reference_images: [first],
          reference_videos: [videoUrl],
          reference_audios: [audioUrl],
        },
      ],
    ],
    accepted: prediction({ id: 'job-1', status: 'created' }),
    declined: [
      [json(400, { code: 400, message: 'It may contain sensitive words.' }), 'rejected prompt'],
    ],
    poll: 'GET /api/v3/predictions/job-1/result',
    polls: [
      [prediction({ status: 'processing' }), 'pending'],
      [prediction({ status: 'completed', outputs: [resultUrl] }), 'completed'],
      [prediction({ status: 'failed', error: 'The model crashed.' }), 'failed'],
      [prediction({ status: 'failed', error: 'It may contain sensitive images.' }), 'rejected'],
      [prediction({ status: 'timeout' }), 'timed_out'],
      [json(404, { code: 404, message: 'prediction not found' }), 'lost'],
    ],
    callback: { id: 'job-1', status: 'completed' },
  },
  xAI: {
    preset: xai,
    starts: [
      [{}, 'POST /v1/videos/generations', { ...xaiBody, aspect_ratio: '16:9' }],
      [
        frames,
        'POST /v1/videos/generations',
        { ...xaiBody, image: { url: first }, last_frame: { url: last } },
      ],
      [
        { ...references, videoUrls: [] },
        'POST /v1/videos/generations',
        {
          ...xaiBody,
          aspect_ratio: '16:9',
          reference_images: [{ url: first }],
          reference_audios: [{ url: audioUrl }],
        },
      ],
    ],
    accepted: json(200, { request_id: 'job-1' }),
    declined: [
      [json(400, { code: 'x', error: 'It violates usage guidelines.' }), 'rejected prompt'],
    ],
    poll: 'GET /v1/videos/job-1',
    polls: [
      [{ status: 202, body: '' }, 'pending'],
      [json(202, { status: 'pending', progress: 40 }), 'pending 0.4'],
      [json(200, { video: { url: resultUrl, respect_moderation: true } }), 'completed'],
      [json(200, { status: 'failed', error: { code: 'internal' } }), 'failed'],
      [json(200, { status: 'expired' }), 'timed_out'],
      [
        json(400, { code: 'x', error: 'Generated video rejected by content moderation.' }),
        'rejected output',
      ],
      [json(200, { status: 'done', video: { url: resultUrl, ...withheld } }), 'rejected output'],
      [json(200, { video: withheld }), 'rejected output'],
      [json(404, { code: 'not-found', error: 'Request not found' }), 'lost'],
    ],
  },
};
