/** The name of a provider: operators name theirs, the built-in ones have names of the service. */
const builtInNames: Readonly<Record<string, string>> = {
  preview: 'Preview',
  'test-preview': 'Test preview',
};

export const providerName = (name: string): string => builtInNames[name] ?? name;
