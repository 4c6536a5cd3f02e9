/** A browser without a screen: keeps the cookies of each host, and follows redirects and forms. */

type PageResponse = {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
};

export type CookieBrowser = ReturnType<typeof openCookieBrowser>;

// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
type Json = any;

const hopsMax = 12;

export function openCookieBrowser() {
  const jars = new Map<string, Map<string, string>>();
  /** Cookies by host, with the port: `name=value`. */
  const cookies = (url: string) => {
    const { host } = new URL(url);
    if (!jars.has(host)) jars.set(host, new Map());
    return jars.get(host)!;
  };
  const send = async (url: string, init: RequestInit = {}): Promise<PageResponse> => {
    const jar = cookies(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as object), ...(cookie === '' ? {} : { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name!);
      else jar.set(name!, value!);
    }
    const { status, headers: responseHeaders } = response;
    return { url, status, text: await response.text(), headers: responseHeaders };
  };
  return {
    cookies,
    send,
    /** A request of a page of the service, with JSON. */
    async call(
      url: string,
      body?: unknown,
      method = body === undefined ? 'GET' : 'POST',
    ): Promise<PageResponse & { body: Json }> {
      const response = await send(url, {
        method,
        headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { ...response, body: response.text.startsWith('{') ? JSON.parse(response.text) : {} };
    },
    /** Opens a page, and follows redirects until `isEnd`, or a page that is no redirect. */
    async open(
      start: string,
      isEnd: (url: string) => boolean = () => false,
    ): Promise<PageResponse> {
      let url = start;
      for (let hop = 0; hop < hopsMax; hop++) {
        const response = await send(url);
        const location = response.headers.get('location');
        if (location === null) return response;
        url = new URL(location, url).href;
        if (isEnd(url)) return { ...response, url };
      }
      throw new Error(`more than ${hopsMax} redirects from ${start}`);
    },
  };
}

/** Signs in on the login page of `openid-provider.ts`; returns the URL of the callback. */
export async function signInAtProvider(
  browser: CookieBrowser,
  { url, login }: { readonly url: string; readonly login: string },
): Promise<string> {
  const isCallback = (next: string) => next.includes('/session/openid/callback');
  let page = await browser.open(url, isCallback);
  if (isCallback(page.url)) return page.url;
  const action = /action="([^"]+)"/.exec(page.text)?.[1];
  if (action === undefined) throw new Error(`no login page, but: ${page.text.slice(0, 500)}`);
  const body = new URLSearchParams({ prompt: 'login', login, password: 'any' });
  const posted = await browser.send(new URL(action, page.url).href, { method: 'POST', body });
  const next = new URL(posted.headers.get('location') ?? '', posted.url).href;
  page = await browser.open(next, isCallback);
  return page.url;
}
