/** Frames and references of OpenAI's format as materials of our own create. */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import type { CreateVideoRequest, Frame } from '@vidgen/contract/openai-videos.ts';
import type { ApiRequest, ApiServices } from '../../http/handler.ts';

type Named<Value> = readonly [name: string, value: Value | undefined];

/** Of a field with two names, the one that was sent, or the first one. They must not differ. */
export function either<Value>(values: Readonly<Record<string, Value | undefined>>): Named<Value> {
  const [found, other] = Object.entries(values).filter(([, value]) => value !== undefined);
  if (!found || !other || String(found[1]) === String(other[1])) {
    return found ?? [Object.keys(values)[0]!, undefined];
  }
  const got = `got ${formatValue(found[1])} and ${formatValue(other[1])}`;
  throw invalidRequest(`${found[0]} must mean the same as ${other[0]} (${got}); send one of them`);
}

/** Replaces the IDs of files of the account by their URLs. */
export async function withFileUrls(
  { uploads }: ApiServices,
  { identity }: ApiRequest,
  body: CreateVideoRequest,
): Promise<CreateVideoRequest> {
  const replaced = { ...body };
  for (const field of ['input_reference', 'image', 'last_frame'] as const) {
    const { file_id: id, image_url: other } = Object(body[field]) as Exclude<Frame, string>;
    if (id === undefined) continue;
    if (other !== undefined) throw invalidRequest(`${field} must have either image_url or file_id`);
    const url = await uploads.urlOfFile(identity!.accountId, id);
    if (url === null) {
      const rule = 'must be a file of this account that has not expired';
      throw invalidRequest(`${field}.file_id ${rule}; send it to POST /v1/files again`);
    }
    replaced[field] = url;
  }
  return replaced;
}

/** Null without any; with the field that decides the generation type. */
export function materialsOf(body: CreateVideoRequest) {
  const [name, first] = either({
    input_reference: urlOf('input_reference', body.input_reference),
    image: urlOf('image', body.image),
  });
  const last = urlOf('last_frame', body.last_frame);
  const images = (body.reference_images ?? []).map((image) => urlOf('reference_images', image)!);
  const videos = (body.reference_videos ?? []).map((video) => urlOf('reference_videos', video)!);
  const frames = [first, last].filter((url) => url !== undefined);
  if (images.length + videos.length > 0) {
    const field = images.length > 0 ? 'reference_images' : 'reference_videos';
    if (frames.length > 0)
      throw invalidRequest(`${field} must be omitted with frames, such as ${name}`);
    return {
      field,
      input: { generation_type: 'reference-to-video', image_urls: images, video_urls: videos },
      fieldNames: { image_urls: 'reference_images' },
    } as const;
  }
  if (frames.length === 0) return null;
  if (first === undefined) throw invalidRequest('last_frame needs a first frame; add image');
  return {
    field: name,
    input: { generation_type: 'image-to-video', image_urls: frames },
    fieldNames: { image_urls: name, 'image_urls[1]': 'last_frame' },
  } as const;
}

type Material = Frame | NonNullable<CreateVideoRequest['reference_videos']>[number];

function urlOf(field: string, material: Material | undefined): string | undefined {
  if (typeof material !== 'object') return material;
  const [url] = Object.values(material);
  if (url === undefined) throw invalidRequest(`${field}.image_url is required`);
  return url;
}
