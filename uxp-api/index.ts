/**
 * What a UXP host documents, as plain data with typed access. The simulated host and the build-time check read it; it never
 * ships in the plugin. README.md beside this file names the source of each fact.
 */
import { readFileSync } from 'node:fs';
import { isAtLeast } from './versions.js';

/** A global name: a class, an object or a function. */
export interface GlobalFact {
  readonly kind: 'class' | 'object' | 'function';
  /** The first UXP version that has it; without one, any version does. */
  readonly since?: string;
  /** The feature flag of the manifest that switches it on. */
  readonly flag?: string;
  readonly inherits?: string;
  /** Whether `new` is documented. */
  readonly constructible?: boolean;
  readonly members?: readonly string[];
  readonly memberSince?: Readonly<Record<string, string>>;
  readonly memberFlags?: Readonly<Record<string, string>>;
  /** Members of the class itself. */
  readonly static?: readonly string[];
  readonly staticSince?: string;
  /** Events that a page documents, with the first UXP version that sends them. */
  readonly events?: Readonly<Record<string, string>>;
  /** The name is announced, its members are listed nowhere. */
  readonly membersUnknown?: boolean;
  /** No page describes the name; samples or types use it. */
  readonly onlyUsed?: boolean;
  readonly page?: string;
  /** The page of the versions, where `page` does not name them. */
  readonly sincePage?: string;
}

/** Something web code expects and no page promises. */
export interface AbsentFact {
  readonly name: string;
  readonly kind:
    | 'global'
    | 'member'
    | 'constructor'
    | 'static'
    | 'event'
    | 'option'
    | 'attribute'
    | 'behaviour'
    | 'syntax'
    | 'module';
  /** What the member belongs to. */
  readonly object?: string;
  /**
   * stated: a page denies it, or promises it for later versions only. silent: nobody names it. used, polyfilled: practice
   * relies on it or replaces it. missed: practice found that hosts do not have it.
   */
  readonly level: 'stated' | 'silent' | 'used' | 'polyfilled' | 'missed';
  readonly instead?: string;
}

interface ElementFact {
  readonly since?: string;
  readonly flag?: string;
  readonly permission?: string;
  readonly onlyUsed?: boolean;
  readonly page?: string;
}

interface WidgetFact {
  readonly since?: string;
  readonly attributes?: readonly string[];
  readonly variants?: readonly string[];
  readonly sizes?: readonly string[];
  readonly slots?: readonly string[];
  readonly events?: readonly string[];
  readonly properties?: readonly string[];
  readonly page?: string;
}

export interface HtmlFacts {
  readonly elements: Readonly<Record<string, ElementFact>>;
  readonly widgets: Readonly<Record<string, WidgetFact>>;
  /** Widgets without a page of their own. */
  readonly namedOnly: readonly string[];
  readonly unsupportedElements: Readonly<
    Record<string, { readonly treatedAs?: string; readonly note?: string }>
  >;
  readonly unsupportedAttributes: readonly string[];
  readonly unsupportedPerElement: Readonly<Record<string, readonly string[]>>;
}

export interface CssFacts {
  readonly properties: Readonly<
    Record<string, { readonly since?: string; readonly values?: readonly string[] }>
  >;
  /** Named in examples or changelogs, without a page of their own. */
  readonly mentioned: Readonly<
    Record<string, { readonly evidence: string; readonly since?: string; readonly flag?: string }>
  >;
  readonly unsupported: readonly {
    readonly feature: string;
    readonly properties?: readonly string[];
    readonly note?: string;
  }[];
  readonly selectors: readonly string[];
  readonly pseudoClasses: Readonly<
    Record<string, { readonly since?: string; readonly note?: string }>
  >;
  readonly pseudoElements: readonly string[];
  readonly mediaFeatures: Readonly<
    Record<string, { readonly forms?: readonly string[]; readonly values?: readonly string[] }>
  >;
  readonly units: readonly string[];
  readonly functions: readonly string[];
  readonly hostVariables: readonly string[];
}

export interface ManifestFacts {
  readonly keys: Readonly<
    Record<
      string,
      {
        readonly type: string;
        readonly required?: boolean;
        readonly values?: readonly unknown[];
        readonly hosts?: readonly string[];
        readonly undocumented?: boolean;
      }
    >
  >;
  readonly icon: {
    readonly keys: readonly string[];
    readonly themes: readonly string[];
    readonly species: readonly string[];
    /** Not documented, but used by samples of Adobe and accepted by hosts. */
    readonly practisedSpecies: readonly string[];
    readonly extensions: readonly string[];
    readonly maxBytes: number;
  };
  readonly permissions: Readonly<
    Record<
      string,
      {
        readonly keys?: readonly string[];
        readonly values?: readonly unknown[];
        readonly unusedSince?: Readonly<Record<string, string>>;
        readonly optionalSince?: Readonly<Record<string, string>>;
      }
    >
  >;
  readonly featureFlags: Readonly<
    Record<string, { readonly since: string; readonly page?: string }>
  >;
}

export interface HostFact {
  readonly name: string;
  /** `uxp.host.name`. */
  readonly hostName?: string;
  /** Host version, its UXP version and where that is written (README.md names the pages), oldest first. */
  readonly versions: readonly (readonly [host: string, uxp: string, source: VersionSource])[];
}

/** hub: the table of all apps. table: its predecessor in the documents of one app. practice: seen, not documented. */
type VersionSource = 'hub' | 'table' | 'practice';

export interface ModuleFacts {
  readonly members: Readonly<Record<string, readonly string[]>>;
  /** The first UXP version with a member, by the member's whole name, where a page has it. */
  readonly since: Readonly<Record<string, string>>;
  /** Members of Node's modules of the same name that no page lists. */
  readonly notListed: Readonly<Record<string, readonly string[]>>;
}

function load(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'));
}

export const globals = load('globals') as Readonly<Record<string, GlobalFact>>;
export const absent = load('absent') as readonly AbsentFact[];
export const html = load('html') as HtmlFacts;
export const css = load('css') as CssFacts;
export const manifest = load('manifest') as ManifestFacts;
export const hosts = load('hosts') as Readonly<Record<string, HostFact>>;
export const modules = load('modules') as ModuleFacts;

/** One host as a plugin meets it: the UXP version and the feature flags its manifest sets. */
export interface Target {
  readonly uxpVersion: string;
  readonly flags: ReadonlySet<string>;
}

/** Whether a documented thing exists on a target. */
export function exists(
  fact: { readonly since?: string | undefined; readonly flag?: string | undefined },
  target: Target,
): boolean {
  if (fact.since !== undefined && !isAtLeast(target.uxpVersion, fact.since)) return false;
  return fact.flag === undefined || target.flags.has(fact.flag);
}

/** The documented members of a class or object on a target, inherited ones included. */
export function membersOf(name: string, target: Target): Set<string> {
  const members = new Set<string>();
  for (let fact = globals[name]; fact !== undefined; fact = inherited(fact)) {
    for (const member of fact.members ?? []) {
      const since = fact.memberSince?.[member];
      const flag = fact.memberFlags?.[member];
      if (exists({ since, flag }, target)) members.add(member);
    }
  }
  return members;
}

/** Whether `name` is `ancestor` or inherits from it. */
export function isKindOf(name: string, ancestor: string): boolean {
  for (let at: string | undefined = name; at !== undefined; at = globals[at]?.inherits) {
    if (at === ancestor) return true;
  }
  return false;
}

function inherited(fact: GlobalFact): GlobalFact | undefined {
  return fact.inherits === undefined ? undefined : globals[fact.inherits];
}
