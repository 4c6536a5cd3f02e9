/** The text of `help`. */
import { self } from './output.mjs';
import { defaultUrl, serviceUrl } from './service.mjs';

export const help = `Create videos from the command line.

  ${self} create --prompt "A paper boat on a lake" --wait -o boat.mp4

  create      create a video task; prints its ID, or the video URL with --wait
  get ID      show a task
  list        list tasks, newest first
  cancel ID   cancel a task and refund its credits
  estimate    show what a create with the same flags would cost
  models      list models with limits and prices
  credits     show your credit balance
  mcp         serve the Model Context Protocol on stdin and stdout, for hosts such as Claude
  listen      forward webhooks to an endpoint on this computer
  login       create a key by authorizing this computer in the dashboard
  worker      offer the engine on this computer to the service, without an open port

create, estimate
  --prompt TEXT        text prompt (required)
  --model NAME         model (default vidgen-2-5)
  --type TYPE          text-to-video, image-to-video or reference-to-video
  --image URL          also --video and --audio; a URL or a local file; repeat for more
  --duration SECONDS   use -1 to edit the given video
  --resolution SIZE    such as 720p or 4k, see models
  --ratio RATIO        16:9, 4:3, 1:1, 3:4, 9:16, 21:9 or adaptive
  --seed NUMBER        if the model takes one
  --option NAME=VALUE  an option of the model; repeat for more
  --no-sound, --watermark, --web-search, --last-frame
  --callback URL       webhook URL to call when the task finishes
  --metadata KEY=VALUE kept with the task; repeat for more
  --idempotency-key K  create only: retry safely without creating a second task
create, get
  --wait               wait until the task finishes
  -o, --output FILE    wait, then download the video
list
  --status S, --model NAME, --created-after T, --created-before T, --limit N, --cursor C,
  --metadata KEY=VALUE
listen
  --forward-to URL     such as http://localhost:3000/hook
  --print-secret       print the signing secret of forwarded webhooks and exit
worker
  --name NAME          name of the GPU box, from Providers, GPU boxes in the dashboard
  --engine URL         such as http://127.0.0.1:8188
  --kind KIND          comfyui, or openai-videos for vLLM-Omni, SGLang and others
  --slots NUMBER       tasks at the same time (default 1)
  --url URL            the service; repeat for more than one
Global: --json prints the raw API response.

VIDGEN_KEY  API key, unless you logged in (create one at ${serviceUrl}/dashboard)
VIDGEN_URL  server URL (default ${defaultUrl})
VIDGEN_WORKER_TOKEN  token of the GPU box; worker asks for it without
Exit codes: 0 success, 1 request or task failed, 2 usage error, 3 authentication failed,
            4 insufficient credits
`;
