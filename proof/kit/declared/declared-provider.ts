/** A declared provider from its settings, as the service creates one, at a fake upstream. */
import { tmpdir } from 'node:os';
import {
  createDeclared,
  type DeclaredOptions,
} from '../../../server/providers/declared/declared.ts';
import { DeclaredSettings } from '../../../server/providers/declared/settings.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import { timing } from '../conformance-faults.ts';

export function declaredProvider(
  settings: unknown,
  {
    name,
    fake,
    change,
  }: {
    readonly name: string;
    readonly fake: { readonly baseUrl: string; readonly apiKey: string };
    readonly change?: Partial<DeclaredOptions>;
  },
): Provider {
  const { kind: _, apiKey: __, supports: ___, ...described } = DeclaredSettings.parse(settings);
  return createDeclared({
    ...described,
    ...timing(),
    name,
    baseUrl: fake.baseUrl,
    apiKey: () => fake.apiKey,
    read: () => () => 'no-secret',
    fetchMaterial: async () => ({ saved: false }),
    materialBytesMax: { image: 30_000_000, video: 200_000_000, audio: 15_000_000 },
    tempFolder: tmpdir(),
    ...change,
  });
}
