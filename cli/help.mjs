/** The text of `help`. */
import { self } from './output.mjs';
import { defaultUrl, serviceUrl } from './service.mjs';

export const help = `Creates videos from the command line.

  ${self} create --prompt "A paper boat on a rainy street" --wait -o boat.mp4

  create      create a video task; prints its ID, or with --wait the URL of the video
  get ID      show a task
  list        list your tasks, newest first
  cancel ID   cancel a task that is not final; its credits are refunded
  estimate    show what a create with the same flags would cost; reserves nothing
  models      list the models, their limits and their credits per second
  credits     show the credits that your key can spend
  mcp         serve the Model Context Protocol on stdin and stdout, for hosts such as Claude
  listen      forward webhooks to a receiver on this machine
  login       get a key by a link that you confirm in the dashboard
  doctor      check the service, your key, clock, credits and a callback URL
  completion  print completions for bash, zsh or fish

create, estimate
  --prompt TEXT        what the video should show; required
  --model NAME         vidgen-2-5 by default
  --type TYPE          text-to-video, image-to-video or reference-to-video
  --image URL          also --video and --audio; a URL or a local file; repeat for more
  --duration SECONDS   -1 edits the given video
  --resolution SIZE    480p, 720p, 1080p or 4k
  --ratio RATIO        16:9, 4:3, 1:1, 3:4, 9:16, 21:9 or adaptive
  --seed NUMBER        2.0 models only
  --no-sound, --watermark, --web-search, --last-frame
  --callback URL       receives a webhook when the task is final
  --metadata KEY=VALUE kept with the task; repeat for more
  --idempotency-key K  create only: the same key never creates a second task
create, get
  --wait               wait until the task is final
  -o, --output FILE    wait, then download the video
list
  --status S, --model NAME, --created-after T, --created-before T, --limit N, --cursor C,
  --metadata KEY=VALUE
listen
  --forward-to URL     such as http://localhost:3000/hook
  --print-secret       print what the forwarded webhooks are signed with, and exit
doctor
  --callback URL       also check that the service would call it
All commands: --json prints the response of the service.

VIDGEN_KEY is your API key, if you did not log in; create one at ${serviceUrl}/dashboard
VIDGEN_URL is the URL of the service, ${defaultUrl} by default
Exit codes: 0 success, 1 rejected or failed, 2 usage error, 3 key rejected, 4 too few credits
`;
