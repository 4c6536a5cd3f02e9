/** The fake's folders of inputs and outputs: files by their path below the folder. */
import { type FakeResponse, json } from '../fake-upstream.ts';

const badRequest: FakeResponse = { status: 400, body: '' };

/** `/upload/image` accepts any kind of file without reading it. */
export async function takeUpload(
  inputFiles: Map<string, Buffer>,
  body: Buffer,
  contentType: string,
): Promise<FakeResponse> {
  const headers = { 'content-type': contentType };
  const form = await new Response(new Uint8Array(body), { headers }).formData();
  const image = form.get('image');
  if (!(image instanceof File) || image.name === '') return badRequest;
  const subfolder = String(form.get('subfolder') ?? '');
  const pathOf = (name: string) => (subfolder ? `${subfolder}/${name}` : name);
  if (/\.\.|^\//.test(pathOf(image.name))) return badRequest;
  let { name } = image;
  for (let i = 1; form.get('overwrite') !== 'true' && inputFiles.has(pathOf(name)); i++) {
    name = image.name.replace(/(\.\w+)?$/, ` (${i})$1`);
  }
  inputFiles.set(pathOf(name), Buffer.from(await image.arrayBuffer()));
  return json(200, { name, subfolder, type: 'input' });
}

export function viewOutput(
  outputFiles: ReadonlyMap<string, Buffer>,
  query: URLSearchParams,
): FakeResponse {
  const [filename, subfolder] = [query.get('filename') ?? '', query.get('subfolder') ?? ''];
  if (filename.startsWith('/') || filename.includes('..')) return badRequest;
  const bytes = outputFiles.get(subfolder ? `${subfolder}/${filename}` : filename);
  if (!bytes) return { status: 404, body: '' };
  const type = filename.endsWith('.mp4') ? 'video/mp4' : 'application/octet-stream';
  return { status: 200, body: bytes, headers: { 'content-type': type } };
}
