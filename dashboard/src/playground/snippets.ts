/**
 * A request as programs that run unchanged. A prompt arrives exactly as it was written, whatever it
 * contains. The key is read from an environment variable.
 */
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import type { Snippet } from '../components/highlight.ts';

export type SnippetName = 'cURL' | 'TypeScript' | 'Python' | 'CLI' | 'AI SDK';

type GenerationSnippet = Snippet & { readonly name: SnippetName };

export function snippetsOf(
  request: CreateGenerationRequest,
  { serviceUrl }: { readonly serviceUrl: string },
): GenerationSnippet[] {
  return [
    { name: 'cURL', language: 'bash', code: curlOf(request, serviceUrl) },
    { name: 'TypeScript', language: 'typescript', code: typescriptOf(request, serviceUrl) },
    { name: 'Python', language: 'python', code: pythonOf(request, serviceUrl) },
    { name: 'CLI', language: 'bash', code: cliOf(request, serviceUrl) },
    { name: 'AI SDK', language: 'typescript', code: aiSdkOf(request, serviceUrl) },
  ];
}

/** Quotes for a POSIX shell, where only the single quote is special within single quotes. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function curlOf(request: CreateGenerationRequest, serviceUrl: string): string {
  const body = shellQuoted(JSON.stringify(request, null, 2));
  return `curl ${shellQuoted(`${serviceUrl}/v1/videos/generations`)} \\
  -H "Authorization: Bearer $VIDGEN_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${body}`;
}

function typescriptOf(request: CreateGenerationRequest, serviceUrl: string): string {
  return `const service = ${JSON.stringify(serviceUrl)};
const headers = {
  Authorization: \`Bearer \${process.env.VIDGEN_KEY}\`,
  'Content-Type': 'application/json',
};

const created = await fetch(\`\${service}/v1/videos/generations\`, {
  method: 'POST',
  headers,
  body: JSON.stringify(${literal(request, { syntax: javascriptSyntax, depth: 1 })}),
});
if (!created.ok) throw new Error(await created.text());
const { taskId } = await created.json();

let task;
do {
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const response = await fetch(\`\${service}/v1/tasks/\${taskId}\`, { headers });
  task = await response.json();
} while (task.status === 'queued' || task.status === 'generating');

console.log(task.status === 'completed' ? task.data.results[0] : task.failed_reason);
`;
}

function pythonOf(request: CreateGenerationRequest, serviceUrl: string): string {
  return `import json, os, time
from urllib.request import Request, urlopen

service = ${JSON.stringify(serviceUrl)}
headers = {
    "Authorization": f"Bearer {os.environ['VIDGEN_KEY']}",
    "Content-Type": "application/json",
}


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(service + path, data=data, headers=headers)) as response:
        return json.load(response)


created = ask("/v1/videos/generations", ${literal(request, { syntax: pythonSyntax, depth: 0 })})

while True:
    time.sleep(10)
    task = ask("/v1/tasks/" + created["taskId"])
    if task["status"] in ("completed", "failed"):
        break

print(task["data"]["results"][0] if task["status"] == "completed" else task["failed_reason"])
`;
}

/** The downloaded CLI calls the service that it came from, with the key in VIDGEN_KEY. */
function cliOf({ model, input, callback_url }: CreateGenerationRequest, serviceUrl: string) {
  const materials = [
    ...(input.image_urls ?? []).map((url) => flag('image', url)),
    ...(input.video_urls ?? []).map((url) => flag('video', url)),
    ...(input.audio_urls ?? []).map((url) => flag('audio', url)),
  ];
  const flags = [
    flag('prompt', input.prompt),
    flag('model', model),
    flag('type', input.generation_type),
    ...materials,
    flag('duration', input.duration),
    flag('resolution', input.resolution),
    flag('ratio', input.aspect_ratio),
    flag('seed', input.seed),
    input.generate_audio === false ? '--no-sound' : '',
    input.watermark ? '--watermark' : '',
    input.web_search ? '--web-search' : '',
    input.return_last_frame ? '--last-frame' : '',
    flag('callback', callback_url),
    '--wait -o video.mp4',
  ];
  const lines = flags.filter((one) => one !== '').map((one) => ` \\\n  ${one}`);
  return `# Once, with Node 18.3 or newer; it reads your key from VIDGEN_KEY.
curl -fsSO ${shellWord(`${serviceUrl}/vidgen.mjs`)}

node vidgen.mjs create${lines.join('')}`;
}

/**
 * Uses the SDK's own options where they exist, and `providerOptions` with the API's names for the
 * rest. A task can take an hour; the SDK would give up after ten minutes.
 */
function aiSdkOf({ model, input, callback_url }: CreateGenerationRequest, serviceUrl: string) {
  const { resolution, watermark, web_search, return_last_frame } = input;
  const call = {
    ...startOf(input),
    duration: input.duration,
    aspectRatio: input.aspect_ratio,
    generateAudio: input.generate_audio,
    seed: input.seed,
    providerOptions: {
      vidgen: { resolution, watermark, web_search, return_last_frame, callback_url },
    },
    poll: { timeoutMs: 3_600_000 },
  };
  const fields = literal(call, { syntax: javascriptSyntax, depth: 0 });
  return `// Once: npm install ai
// and:  curl -fsSO ${shellWord(`${serviceUrl}/vidgen-ai-sdk.mjs`)}
// Your key is read from VIDGEN_KEY.
import { writeFile } from 'node:fs/promises';
import { experimental_generateVideo as generateVideo } from 'ai';
import { vidgen } from './vidgen-ai-sdk.mjs';

const { video } = await generateVideo({
  model: vidgen.video(${JSON.stringify(model)}),${fields.slice(1)});
await writeFile('video.mp4', video.uint8Array);
`;
}

/** Returns the prompt and the materials as options of the SDK. */
function startOf({ prompt, generation_type, ...input }: CreateGenerationRequest['input']) {
  const { image_urls: images = [], video_urls: videos = [], audio_urls: audios = [] } = input;
  const [first, last] = images;
  if (generation_type === 'image-to-video' && first !== undefined) {
    const frameImages = last === undefined ? {} : { frameImages: [lastFrame(last)] };
    return { prompt: { image: first, text: prompt }, ...frameImages };
  }
  if (generation_type !== 'reference-to-video') return { prompt };
  // The media type only tells the three kinds apart; the service detects the format.
  const file = (mediaType: string) => (data: string) => ({ data, mediaType });
  const others = [...videos.map(file('video/mp4')), ...audios.map(file('audio/mpeg'))];
  return { prompt, inputReferences: [...images.map(file('image/png')), ...others] };
}

const lastFrame = (image: string) => ({ image, frameType: 'last_frame' });

/** A value that starts with a dash must be attached, or the CLI reads it as a flag. */
function flag(name: string, value: string | number | undefined): string {
  if (value === undefined) return '';
  const word = shellWord(String(value));
  return /^-/.test(String(value)) ? `--${name}=${word}` : `--${name} ${word}`;
}

/** Quotes only where a shell requires it. */
const shellWord = (text: string): string => (/^[\w./:-]+$/.test(text) ? text : shellQuoted(text));

/** How a language's literals differ from JSON. */
type LiteralSyntax = {
  readonly indent: number;
  readonly key: (name: string) => string;
  readonly boolean: (value: boolean) => string;
};

const javascriptSyntax: LiteralSyntax = { indent: 2, key: (name) => name, boolean: String };
const pythonSyntax: LiteralSyntax = {
  indent: 4,
  key: (name) => JSON.stringify(name),
  boolean: (value) => (value ? 'True' : 'False'),
};

/**
 * Writes a value as a literal. JSON strings are valid in both languages: every escape that
 * JSON.stringify produces has the same meaning there.
 */
function literal(
  value: unknown,
  style: { readonly syntax: LiteralSyntax; readonly depth: number },
): string {
  const { syntax, depth } = style;
  if (typeof value === 'boolean') return syntax.boolean(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = { syntax, depth: depth + 1 };
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => `${syntax.key(name)}: ${literal(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const pad = ' '.repeat(syntax.indent * (depth + 1));
  const lines = items.map((item) => `${pad}${item},\n`).join('');
  return `${open}\n${lines}${' '.repeat(syntax.indent * depth)}${close}`;
}
