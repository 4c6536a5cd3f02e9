/**
 * Files that this service serves, from where the page itself came: it may be open under another
 * name than the public one, and may load nothing from anywhere else.
 */
import { servicePath } from '../api/base-path.ts';

const servedFolders = ['/results/', '/uploads/'];

/** Null for what lies elsewhere. */
export function sameOriginUrl(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { origin, pathname, search } = new URL(url);
  if (origin === location.origin) return `${pathname}${search}`;
  const folder = servedFolders.find((one) => pathname.includes(one));
  if (folder === undefined || !/[?&]signature=/.test(search)) return null;
  return `${servicePath}${pathname.slice(pathname.indexOf(folder))}${search}`;
}
