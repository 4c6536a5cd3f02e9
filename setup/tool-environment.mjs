/**
 * The environment for npm, Vite and other tools of the setup: what they need and nothing else. The
 * service's secrets can have any name, since the configuration file names them.
 */

const names = new Set([
  ...['path', 'home', 'user', 'logname', 'shell', 'pwd', 'lang', 'language', 'tz', 'term'],
  ...['tmpdir', 'temp', 'tmp', 'ci', 'no_color', 'force_color', 'colorterm', 'ld_library_path'],
  ...['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
  ...['ssl_cert_file', 'ssl_cert_dir', 'node_extra_ca_certs', 'node_options'],
  ...['node_use_system_ca', 'node_use_env_proxy', 'node_compile_cache'],
  // Windows.
  ...['systemroot', 'systemdrive', 'windir', 'comspec', 'pathext', 'userprofile', 'username'],
  ...['appdata', 'localappdata', 'programdata', 'programfiles', 'programfiles(x86)'],
  ...['commonprogramfiles', 'number_of_processors', 'processor_architecture', 'os'],
]);
/** npm's settings include the token of a private registry. */
const prefixes = /^(npm_|lc_|xdg_|dyld_)/;

/**
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function toolEnvironment(environment) {
  const kept = Object.entries(environment).filter(([name]) => {
    const lower = name.toLowerCase();
    return names.has(lower) || prefixes.test(lower);
  });
  return Object.fromEntries(kept);
}
