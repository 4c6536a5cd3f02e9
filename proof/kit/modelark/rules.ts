/** A create request of ModelArk, and the parameters that it reads from a prompt. */

export type Item = {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
  readonly video_url?: { readonly url: string };
  readonly audio_url?: { readonly url: string };
  readonly role?: string;
};

export type ModelArkCreateBody = {
  readonly model: string;
  readonly content: readonly Item[];
  readonly resolution?: string;
  readonly ratio?: string;
  readonly duration?: number;
  readonly seed?: number;
  readonly generate_audio?: boolean;
  readonly return_last_frame?: boolean;
  readonly omni_reference_task_type?: string;
  readonly execution_expires_after?: number;
  readonly safety_identifier?: string;
  readonly callback_url?: string;
};

/**
 * Returns the parameters in a prompt, read as generously as any upstream might: after Unicode
 * normalization, with spaces, by long and short names. They would override the body.
 */
export function promptParameters(content: readonly Item[]): Readonly<Record<string, string>> {
  const prompt = content.find((item) => item.type === 'text')?.text ?? '';
  const plain = prompt.normalize('NFKC').replace(/\p{Cf}/gu, '');
  const found: Record<string, string> = {};
  for (const [, name, value] of plain.matchAll(/--\s*([a-z_]+)[\s=]+(\S+)/gi)) {
    found[name!.toLowerCase()] = value!;
  }
  return found;
}
