import { existsSync, statSync } from 'node:fs';
import * as nodePath from 'node:path';
import { manifest as facts } from '../uxp-api/index.js';
import { domainProblem, isIpLiteral } from '../uxp-api/network-domains.js';
import { brokenRules } from './manifest-rules.js';
import type { Problem } from './problem.js';
import { objectOf } from './target.js';

type Add = (name: string, problem: string, instead: string) => void;

/** Permissions this plugin never needs, and why. */
const refused: Readonly<Record<string, string>> = {
  webview: 'sign-in happens in the system browser',
  ipc: 'the plugin talks to no other plugin',
  enableUserInfo: 'the service has its own accounts',
  allowCodeGenerationFromStrings: 'no code is made from strings',
  enableAddon: 'there is no native part',
};

/** Checks manifest.json: only documented keys and values, and no permission beyond what this plugin needs. */
export function checkManifest(distDir: string, manifest: unknown): Problem[] {
  const problems: Problem[] = [];
  const add: Add = (name, problem, instead) => {
    problems.push({ file: 'manifest.json', name, problem, instead });
  };
  const root = objectOf(manifest);
  checkKeys(root, '', add);
  checkBasics(distDir, root, add);
  const hosts = Array.isArray(root['host']) ? (root['host'] as unknown[]) : [root['host']];
  for (const host of hosts) {
    checkHost(objectOf(host), add);
  }
  const entrypoints = Array.isArray(root['entrypoints']) ? (root['entrypoints'] as unknown[]) : [];
  for (const entry of entrypoints) {
    const entrypoint = objectOf(entry);
    checkKeys(entrypoint, 'entrypoints[].', add);
    checkValues(entrypoint, 'entrypoints[].', add);
    checkIcons(distDir, entrypoint['icons'], add);
  }
  checkIcons(distDir, root['icons'], add);
  checkPermissions(objectOf(root['requiredPermissions']), add);
  for (const flag of Object.keys(objectOf(root['featureFlags']))) {
    if (facts.featureFlags[flag] === undefined) {
      add(`featureFlags.${flag}`, 'undocumented flag', Object.keys(facts.featureFlags).join(', '));
    }
  }
  return [...problems, ...brokenRules(root)];
}

/** The documented keys directly below a prefix such as `host.`. */
function keysBelow(prefix: string): string[] {
  return Object.entries(facts.keys)
    .filter(([key, fact]) => key.startsWith(prefix) && fact.undocumented !== true)
    .map(([key]) => key.slice(prefix.length))
    .filter((key) => !/[.[]/.test(key));
}

function checkKeys(object: Record<string, unknown>, prefix: string, add: Add): void {
  const known = keysBelow(prefix);
  if (prefix === 'host.') {
    known.push('data');
  }
  for (const key of Object.keys(object)) {
    if (!known.includes(key)) {
      add(`${prefix}${key}`, 'undocumented key', known.join(', '));
    }
  }
  for (const key of known) {
    if (facts.keys[`${prefix}${key}`]?.required === true && object[key] === undefined) {
      add(`${prefix}${key}`, 'required key is missing', 'add it');
    }
  }
}

function checkValues(object: Record<string, unknown>, prefix: string, add: Add): void {
  for (const [key, value] of Object.entries(object)) {
    const values = facts.keys[`${prefix}${key}`]?.values;
    if (values === undefined || key === 'main') {
      continue;
    }
    if (!values.includes(value)) {
      add(`${prefix}${key}: ${String(value)}`, 'undocumented value', values.join(', '));
    }
  }
}

function checkBasics(distDir: string, root: Record<string, unknown>, add: Add): void {
  if (root['manifestVersion'] !== 5) {
    add('manifestVersion', 'the plugin is written for version 5', '5');
  }
  const { name, version, main } = root;
  if (typeof name === 'string' && (name.length < 3 || name.length > 45)) {
    add('name', '3 to 45 characters are allowed', 'a name of that length');
  }
  if (typeof version !== 'string' || !/^\d{1,2}\.\d{1,2}\.\d{1,2}$/.test(version)) {
    add('version', 'must be x.y.z, each part 0 to 99', 'a version of that form');
  }
  if (typeof main === 'string' && !existsSync(nodePath.join(distDir, main))) {
    add(`main: ${main}`, 'no such file in the bundle', 'a file that exists');
  }
}

function checkHost(host: Record<string, unknown>, add: Add): void {
  checkKeys(host, 'host.', add);
  checkValues(host, 'host.', add);
  for (const key of ['minVersion', 'maxVersion']) {
    const value = host[key];
    if (value !== undefined && (typeof value !== 'string' || !/^\d+\.\d+\.\d+$/.test(value))) {
      add(`host.${key}`, 'must be x.y.z', 'a version of that form');
    }
  }
  const data = objectOf(host['data']);
  checkKeys(data, 'host.data.', add);
  checkValues(data, 'host.data.', add);
}

function checkPermissions(permissions: Record<string, unknown>, add: Add): void {
  const shown = (key: string): string => `requiredPermissions.${key}`;
  for (const [key, value] of Object.entries(permissions)) {
    const fact = facts.permissions[key];
    if (fact === undefined) {
      add(shown(key), 'undocumented permission', Object.keys(facts.permissions).join(', '));
      continue;
    }
    const reason = refused[key];
    if (reason !== undefined) {
      add(shown(key), `more than the plugin needs: ${reason}`, 'leave it out');
    }
    if (fact.values?.includes(value) === false) {
      add(`${shown(key)}: ${String(value)}`, 'undocumented value', fact.values.join(', '));
    }
    for (const inner of Object.keys(fact.keys === undefined ? {} : objectOf(value))) {
      if (fact.keys?.includes(inner) === false) {
        add(`${shown(key)}.${inner}`, 'undocumented key', fact.keys.join(', '));
      }
    }
  }
  if (permissions['localFileSystem'] === 'fullAccess') {
    add(
      'localFileSystem: fullAccess',
      'more than the plugin needs',
      '"request": pickers and its own folders',
    );
  }
  checkDomains(objectOf(permissions['network'])['domains'], add);
  const { schemes, extensions } = objectOf(permissions['launchProcess']);
  for (const scheme of listOf(schemes)) {
    if (scheme !== 'https' && scheme !== 'http') {
      add(`launchProcess.schemes: ${scheme}`, 'the browser is sent to web pages only', 'https');
    }
  }
  for (const extension of listOf(extensions)) {
    add(`launchProcess.extensions: "${extension}"`, 'the plugin opens no files', 'an empty list');
  }
}

function checkDomains(domains: unknown, add: Add): void {
  if (domains === undefined) {
    return;
  }
  if (!Array.isArray(domains)) {
    add(
      `network.domains: ${JSON.stringify(domains)}`,
      'every origin must be named',
      'a list of origins',
    );
    return;
  }
  for (const domain of listOf(domains)) {
    const name = `network.domains: ${domain}`;
    const problem = domainProblem(domain);
    if (isIpLiteral(hostOf(domain))) {
      add(
        name,
        'newer hosts drop IP addresses from the manifest, and then every request fails with "Permission denied to the url"',
        'a host name, such as localhost',
      );
    } else if (problem !== undefined) {
      add(name, problem, 'the origin of the service');
    } else if (domain.includes('*')) {
      add(name, 'a wildcard lets in origins nobody named', 'the origin of the service');
    } else if (/^http:/i.test(domain) && !/^http:\/\/localhost(:\d+)?\/?$/i.test(domain)) {
      add(name, 'plain http is refused by hosts on macOS', 'https');
    }
  }
}

/** The host as a browser understands it: `127.1` is an IP address, too, and so are digits of other scripts. */
function hostOf(domain: string): string {
  return URL.canParse(domain) ? new URL(domain).hostname : '';
}

function checkIcons(distDir: string, icons: unknown, add: Add): void {
  if (icons === undefined) {
    return;
  }
  if (!Array.isArray(icons)) {
    add('icons', 'must be a list', 'a list of icon definitions');
    return;
  }
  for (const item of icons as unknown[]) {
    const icon = objectOf(item);
    const { path } = icon;
    for (const key of Object.keys(icon)) {
      if (!facts.icon.keys.includes(key)) {
        add(`icons[].${key}`, 'undocumented key', facts.icon.keys.join(', '));
      }
    }
    for (const [key, allowed] of [
      ['theme', facts.icon.themes],
      ['species', [...facts.icon.species, ...facts.icon.practisedSpecies]],
    ] as const) {
      for (const value of listOf(icon[key])) {
        if (!allowed.includes(value)) {
          add(`icons[].${key}: ${value}`, 'undocumented value', allowed.join(', '));
        }
      }
    }
    if (typeof path !== 'string') {
      add('icons[].path', 'required key is missing', 'add it');
      continue;
    }
    if (!facts.icon.extensions.includes(nodePath.extname(path).slice(1))) {
      add(`icon ${path}`, 'undocumented format', facts.icon.extensions.join(', '));
    }
    const scales = Array.isArray(icon['scale']) ? (icon['scale'] as unknown[]) : [1];
    for (const scale of scales) {
      checkIconFile(distDir, path, Number(scale), add);
    }
  }
}

/**
 * A definition names icon.png; the files are icon@1x.png and icon@2x.png. The documentation allows icon.png instead of
 * the first, but on Windows the icon was then missing.
 */
function checkIconFile(distDir: string, path: string, scale: number, add: Add): void {
  const { dir, name, ext } = nodePath.parse(path);
  const file = nodePath.join(distDir, dir, `${name}@${scale}x${ext}`);
  if (!existsSync(file)) {
    add(`icon ${path} at ${scale}x`, 'no such file in the bundle', 'a file that exists');
  } else if (statSync(file).size > facts.icon.maxBytes) {
    add(`icon ${path}`, 'larger than 1 MB', 'a smaller file');
  }
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? (value as unknown[]).map(String) : [];
}
