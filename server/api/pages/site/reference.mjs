/** Starts Scalar, which shows the OpenAPI document: the customer's endpoints, or the admin's. */
import { documentFor, isAdminFragment } from './customer-document.mjs';

const otherLanguages = [
  ...['c', 'clojure', 'csharp', 'dart', 'fsharp', 'go', 'http', 'java', 'julia', 'kotlin', 'node'],
  ...['objc', 'ocaml', 'php', 'powershell', 'r', 'ruby', 'rust', 'swift'],
];

/** Turns off everything that makes Scalar send requests to its own servers. */
const scalarSettings = {
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  hideDarkModeToggle: true,
  documentDownloadType: 'none',
  // Keeps the order of the contract. "Models" are video models here, not schemas.
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  modelsSectionLabel: 'Schemas',
  // The languages of the guides; Scalar would offer about forty clients.
  hiddenClients: {
    ...Object.fromEntries(otherLanguages.map((language) => [language, true])),
    shell: ['wget', 'httpie'],
    js: ['axios', 'jquery', 'ofetch', 'xhr'],
    python: ['python3', 'aiohttp', 'httpx_sync', 'httpx_async'],
  },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  metaData: { title: 'API reference · vidgen' },
  localization: {
    translations: {
      server: { label: 'Base URL' },
      operation: { testRequest: 'Try it' },
      apiClient: { authSelector: { selectedType: '{type}' } },
    },
  },
};

export async function showReference() {
  const place = document.getElementById('reference');
  if (!place) return;
  const isAdmin =
    new URLSearchParams(location.search).has('admin') || isAdminFragment(location.hash);
  for (const link of document.querySelectorAll('.segments a')) {
    if (link.hasAttribute('data-admin') === isAdmin) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const whole = await fetch('openapi.json')
    .then((response) => response.json())
    .catch((error) => {
      const loading = place.querySelector('.loading');
      if (loading) loading.textContent = 'The reference could not be loaded. Reload the page.';
      throw error;
    });
  const isDark = document.documentElement.dataset.mantineColorScheme === 'dark';
  const { Scalar } =
    /** @type {{ Scalar: { createApiReference(place: Element, settings: object): void } }} */ (
      /** @type {unknown} */ (globalThis)
    );
  // Scalar takes what is in its place for its own.
  place.replaceChildren();
  Scalar.createApiReference(place, {
    ...scalarSettings,
    content: documentFor(whole, { isAdmin }),
    darkMode: isDark,
    // The input of a create is nested. The admin API has too many schemas to open them all.
    expandAllSchemaProperties: !isAdmin,
    authentication: { preferredSecurityScheme: isAdmin ? 'adminToken' : 'apiKey' },
  });
}
