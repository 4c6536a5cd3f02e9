/** Programs that create a task and wait until it is final, in five languages, with file names. */
import type { Snippet } from '../components/highlight.ts';

const prompt = 'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea';

export function quickStartSnippets(base: string): readonly Snippet[] {
  return [
    { name: 'cURL', language: 'bash', code: curl(base) },
    { name: 'TypeScript', language: 'typescript', code: typescript(base) },
    { name: 'Python', language: 'python', code: python(base) },
    { name: 'CLI', language: 'bash', code: commandLine(base) },
    { name: 'AI SDK', language: 'typescript', code: aiSdk(base) },
  ];
}

const curl = (base: string): string => `# first-video.sh: run it with sh first-video.sh
TASK_ID=$(curl -sS ${base}/v1/videos/generations \\
  -H "Authorization: Bearer $VIDGEN_KEY" -H "Content-Type: application/json" \\
  -d '{"model": "vidgen-2-5", "input": {"prompt": "${prompt}"}}' \\
  | grep -o 'task_[0-9a-z]*') || exit 1

while :; do
  TASK=$(curl -sS "${base}/v1/tasks/$TASK_ID?until=final" \\
    -H "Authorization: Bearer $VIDGEN_KEY")
  case $TASK in
    *'"status":"queued"'* | *'"status":"generating"'*) ;;
    *) break ;;
  esac
done
echo "$TASK"`;

const commandLine = (base: string): string => `curl -fsSO ${base}/vidgen.mjs

node vidgen.mjs create --wait -o video.mp4 \\
  --prompt "${prompt}"`;

const aiSdk = (base: string): string => `// first-video.ts: run it with node first-video.ts
// Once: npm install ai@7
// and:  curl -fsSO ${base}/vidgen-ai-sdk.mjs
import { writeFile } from 'node:fs/promises';
import { experimental_generateVideo as generateVideo } from 'ai';
import { vidgen } from './vidgen-ai-sdk.mjs';

const { video } = await generateVideo({
  model: vidgen.video('vidgen-2-5'),
  prompt: '${prompt}',
});
await writeFile('video.mp4', video.uint8Array);`;

const typescript = (base: string): string => `// first-video.ts: run it with node first-video.ts
const base = '${base}/v1';
const headers = {
  authorization: \`Bearer \${process.env.VIDGEN_KEY}\`,
  'content-type': 'application/json',
};

const created = await fetch(\`\${base}/videos/generations\`, {
  method: 'POST',
  headers,
  body: JSON.stringify({
    model: 'vidgen-2-5',
    input: { prompt: '${prompt}' },
  }),
});
const { taskId, error } = await created.json();
if (error) throw new Error(error.message);

let task;
do {
  const response = await fetch(\`\${base}/tasks/\${taskId}?until=final\`, { headers });
  task = await response.json();
} while (task.status === 'queued' || task.status === 'generating');
console.log(task.data?.results[0] ?? task);`;

const python = (base: string): string => `# first_video.py: run it with python3 first_video.py
import json, os, urllib.request

base = "${base}/v1"
headers = {
    "Authorization": f"Bearer {os.environ['VIDGEN_KEY']}",
    "Content-Type": "application/json",
}


def send(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, headers)
    return json.load(urllib.request.urlopen(request, timeout=90))


created = send("/videos/generations", {
    "model": "vidgen-2-5",
    "input": {"prompt": "${prompt}"},
})

task = {"status": "queued"}
while task["status"] in ("queued", "generating"):
    task = send(f"/tasks/{created['taskId']}?until=final")
print(task["data"]["results"][0] if task["status"] == "completed" else task)`;
