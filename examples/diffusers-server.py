"""Serves one diffusers video pipeline as OpenAI's /v1/videos, for `vidgen worker --kind openai-videos`.

    pip install diffusers transformers accelerate torch imageio imageio-ffmpeg
    python diffusers-server.py --model Wan-AI/Wan2.1-T2V-1.3B-Diffusers --port 8000

Listens on this machine only, makes one video at a time, and keeps videos until it ends. `--dry-run FILE`
needs no GPU and no packages: every video is that file.
"""
import argparse, json, queue, re, shutil, tempfile, threading, time, uuid
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="Wan-AI/Wan2.1-T2V-1.3B-Diffusers")
parser.add_argument("--port", type=int, default=8000)
parser.add_argument("--fps", type=int, default=16)
parser.add_argument("--steps", type=int, default=30)
parser.add_argument("--dry-run", metavar="FILE")
args = parser.parse_args()

folder = Path(tempfile.mkdtemp(prefix="diffusers-server-"))
videos, waiting, lock = {}, queue.Queue(), threading.Lock()


def load():
    if args.dry_run:
        return lambda video, path: shutil.copyfile(args.dry_run, path)
    import torch
    from diffusers import DiffusionPipeline
    from diffusers.utils import export_to_video
    pipeline = DiffusionPipeline.from_pretrained(args.model, torch_dtype=torch.bfloat16)
    pipeline.enable_model_cpu_offload()

    def make(video, path):
        width, height = map(int, video["size"].split("x"))
        frames = int(float(video["seconds"]) * args.fps) // 4 * 4 + 1
        seed = torch.Generator().manual_seed(video["seed"]) if video["seed"] is not None else None
        def report(_pipeline, step, _timestep, inputs):
            video["progress"] = int(100 * (step + 1) / args.steps)
            return inputs
        result = pipeline(prompt=video["prompt"], width=width, height=height, num_frames=frames,
                          num_inference_steps=args.steps, generator=seed, callback_on_step_end=report)
        export_to_video(result.frames[0], str(path), fps=args.fps)
    return make


def work(make):
    while True:
        video = waiting.get()
        if video["id"] not in videos:
            continue
        video["status"] = "in_progress"
        try:
            make(video, folder / video["id"])
            video.update(status="completed", progress=100, completed_at=int(time.time()))
        except Exception as error:
            video.update(status="failed", error={"code": "failed", "message": str(error)[:500]})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "video/mp4" if isinstance(body, bytes) else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def fields(self):
        data = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 10_000_000))
        kind = self.headers.get("Content-Type", "")
        if kind.startswith("application/json"):
            return json.loads(data)
        form = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + data)
        return {part.get_param("name", header="content-disposition"): part.get_content() for part in form.iter_parts()}

    def do_POST(self):
        given = self.fields()
        size, seconds = str(given.get("size", "832x480")), str(given.get("seconds", "5"))
        if self.path != "/v1/videos" or not re.fullmatch(r"\d{2,4}x\d{2,4}", size) or not re.fullmatch(r"\d{1,2}", seconds):
            return self.answer(400, {"error": {"code": "invalid_request", "message": "size must be like 832x480, seconds 1 to 99"}})
        seed = given.get("seed")
        video = {"id": f"video_{uuid.uuid4().hex}", "object": "video", "status": "queued", "progress": 0,
                 "created_at": int(time.time()), "model": str(given.get("model", args.model)), "size": size,
                 "seconds": seconds, "prompt": str(given.get("prompt", "")), "seed": None if seed is None else int(seed)}
        with lock:
            videos[video["id"]] = video
        waiting.put(video)
        self.answer(200, video)

    def do_GET(self):
        if self.path.split("?")[0] == "/v1/videos":
            return self.answer(200, {"object": "list", "data": list(videos.values())[::-1]})
        found = re.fullmatch(r"/v1/videos/(video_[0-9a-f]{32})(/content)?", self.path)
        video = videos.get(found[1]) if found else None
        if not video or (found[2] and video["status"] != "completed"):
            return self.answer(404, {"error": {"code": "not_found", "message": "No video with this id"}})
        self.answer(200, (folder / video["id"]).read_bytes() if found[2] else video)

    def do_DELETE(self):
        id = self.path.rpartition("/")[2]
        with lock:
            video = videos.pop(id, None)
        (folder / id).unlink(missing_ok=True) if video else None
        self.answer(*(200, {"id": id, "deleted": True}) if video else (404, {"error": {"code": "not_found", "message": "No video with this id"}}))

    def log_message(self, format, *values):
        pass


make = load()
threading.Thread(target=work, args=(make,), daemon=True).start()
print(f"Serving {args.dry_run or args.model} on http://127.0.0.1:{args.port}", flush=True)
ThreadingHTTPServer(("127.0.0.1", args.port), Handler).serve_forever()
