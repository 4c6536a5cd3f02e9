/** Results that only the adapter can download, because the upstream requires the API key. */
import type { ResultSource } from '../provider.ts';
import type { SaveOptions, SaveOutcome } from './client.ts';
import type { UpstreamResponse } from './upstream.ts';

/** A proxy's page, or an error with the wrong status. */
export const isErrorPage = (contentType: string | null): boolean =>
  /^(text\/|application\/json)/i.test(contentType ?? '');

/** `detailOf` describes a response that is not a file. */
export const authenticatedSource = (
  save: (options: SaveOptions) => Promise<SaveOutcome>,
  detailOf: (response: UpstreamResponse) => string,
): ResultSource => ({
  download: async (options) => {
    const outcome = await save(options);
    switch (outcome.kind) {
      case 'saved':
        if (!isErrorPage(outcome.contentType)) return { saved: true, bytes: outcome.bytes };
        return { saved: false, detail: `${outcome.contentType} instead of a video` };
      case 'redirected':
        return { saved: false, detail: 'redirected to another host', redirectUrl: outcome.url };
      case 'response':
        return { saved: false, detail: detailOf(outcome) };
      default:
        return { saved: false, detail: outcome.detail };
    }
  },
});
