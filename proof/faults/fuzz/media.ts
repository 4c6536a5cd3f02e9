/**
 * URLs with a known outcome: files of known lengths on this machine, URLs without a response, and
 * URLs that must be rejected. No request leaves this machine.
 */
import { makeMedia } from '../../kit/media-files.ts';
import { startMediaServer } from '../../kit/media-server.ts';
import type { Facts } from './reference-rules.ts';

export const seconds = [1, 3, 5, 10, 16, 31] as const;

/** Requests name them by `@@name`. */
export type Media = {
  readonly facts: Facts;
  readonly names: ReadonlyMap<string, string>;
  /** A server on this machine that accepts any path. */
  readonly origin: string;
  close(): Promise<void>;
};

const tooLong = `https://hooks.example.com/${'x'.repeat(2048)}`;
/** Whether a URL may be a callback, and whether a material. Names are never resolved. */
const urlRules: readonly (readonly [string, boolean, boolean])[] = [
  ['https://hooks.example.com/done?x=1', true, true],
  ['https://hooks.example.com:8443/', true, true],
  ['https://93.184.215.14/x', true, true],
  ['http://hooks.example.com/', false, true],
  ['https://hooks.example.com:22/', false, false],
  ['https://hooks.example.com:5432/', false, false],
  ['https://user:password@hooks.example.com/', false, false],
  ['https://10.0.0.1/', false, false],
  ['https://192.168.1.1/', false, false],
  ['https://169.254.169.254/latest/meta-data', false, false],
  ['https://[::ffff:10.0.0.1]/', false, false],
  ['https://[fe80::1]/', false, false],
  ['https://[fd00::1]/', false, false],
  ['https://0x0a000001/', false, false],
  ['https://012.0.0.1/', false, false],
  ['https://100.64.0.1/', false, false],
  ['https://0.0.0.0/', false, false],
  ['ftp://hooks.example.com/', false, false],
  ['data:video/mp4,AAAA', false, false],
  ['file:///etc/passwd', false, false],
  ['javascript:alert(1)', false, false],
  ['//hooks.example.com/', false, false],
  ['hooks.example.com', false, false],
  ['https://', false, false],
  ['', false, false],
  [' ', false, false],
  [tooLong, false, false],
];

/** Only rejected URLs: the service would probe all others. */
export const badMaterials = urlRules.filter(([, , material]) => !material).map(([url]) => url);
export const callbacks = urlRules.filter(([, callback]) => callback).map(([url]) => url);
export const badCallbacks = urlRules.filter(([, callback]) => !callback).map(([url]) => url);

export async function openMedia(): Promise<Media> {
  const server = await startMediaServer();
  const names = new Map<string, string>();
  const media: Map<string, { kind: 'image' | 'video' | 'audio'; seconds: number } | null> =
    new Map();
  const add = (name: string, url: string, what: ReturnType<typeof media.get>) => {
    names.set(name, url);
    media.set(url, what ?? null);
  };
  add('image', server.serve('image.png', image), { kind: 'image', seconds: 0 });
  for (const length of seconds) {
    const video = await makeMedia({ format: 'mp4', video: 'mpeg4', seconds: length });
    const name = `${length}.mp4`;
    add(`video${length}`, server.serve(name, video), { kind: 'video', seconds: length });
    const audio = await makeMedia({ format: 'wav', audio: 'pcm_s16le', seconds: length });
    const audioUrl = server.serve(`${length}.wav`, audio);
    add(`audio${length}`, audioUrl, { kind: 'audio', seconds: length });
  }
  add('missing', `${server.origin}/missing`, null);
  const urls = new Map<string, { callback: boolean; material: boolean }>();
  for (const [url, callback, material] of urlRules) urls.set(url, { callback, material });
  // Loopback is allowed for the service under test, also for callbacks without TLS.
  for (const url of names.values()) urls.set(url, { callback: true, material: true });
  const { origin } = server;
  return { facts: { urls, media }, names, origin, close: () => server.close() };
}

export const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg' +
    'gg==',
  'base64',
);
