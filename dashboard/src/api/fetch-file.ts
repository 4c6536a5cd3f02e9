/** Fetches a file that the service serves by a signed URL. */
import { sameOriginUrl } from '../components/same-origin-url.ts';

/** Throws an error with a message for the person; `name` completes it: "the video". */
export async function fetchFile(url: string, name: string): Promise<Blob> {
  const response = await fetch(sameOriginUrl(url) ?? url).catch(() => null);
  if (response === null) throw new Error(`Couldn’t load ${name}. Check your connection.`);
  if (response.status === 404) throw new Error(`Couldn’t load ${name}. It has expired.`);
  if (!response.ok) throw new Error(`Couldn’t load ${name} (HTTP ${response.status}).`);
  return await response.blob();
}
