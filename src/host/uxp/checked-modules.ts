/**
 * Compares the declarations in `*-module.ts` with Adobe's own types: `uxp` and `fs` with the UXP 7.3 package,
 * `premierepro` with `@adobe/premierepro`. A member that does not exist is a compile error. Types only: the bundle does
 * not contain this file. It is a separate file because the package declares the globals of the host, which must stay
 * inside `src/`.
 * @packageDocumentation
 */
import type { premierepro } from '@adobe/premierepro';
import type fs from 'fs';
import type { entrypoints, host, secureStorage, storage, versions } from 'uxp';
import type * as uxp from 'uxp';
import type { FileEntry } from './files.js';
import type { PremiereModule } from './premiere-module.js';
import type { UxpFile, UxpFileSystem, UxpFolder, UxpFs, UxpModule } from './uxp-module.js';

/** `true` when the package has every member of ours; else their names. */
type InPackage<Ours, Package> =
  Exclude<keyof Ours, keyof Package> extends never
    ? true
    : { readonly missing: Exclude<keyof Ours, keyof Package> };

type AllTrue<Checks extends Record<string, true>> = Checks;

export type CheckedModules = AllTrue<{
  entrypoints: InPackage<UxpModule['entrypoints'], typeof entrypoints>;
  host: InPackage<UxpModule['host'], typeof host>;
  versions: InPackage<UxpModule['versions'], typeof versions>;
  shell: InPackage<UxpModule['shell'], (typeof uxp)['shell']>;
  secureStorage: InPackage<UxpModule['storage']['secureStorage'], typeof secureStorage>;
  formats: InPackage<UxpModule['storage']['formats'], typeof storage.formats>;
  fileSystem: InPackage<UxpFileSystem, storage.FileSystemProvider>;
  // File page: a file has all members of an entry; the package leaves that out.
  file: InPackage<UxpFile, storage.File & storage.Entry>;
  folder: InPackage<UxpFolder, storage.Folder>;
  fs: InPackage<UxpFs, typeof fs>;
  // Whole: also parameters and return types.
  premiere: premierepro extends PremiereModule ? true : false;
}>;

/** Proves that the check works: a member that does not exist has to be a compile error in the next line. */
// @ts-expect-error -- there is no such member
export type UncheckedModules = AllTrue<{ file: InPackage<{ saveAs(): void }, storage.File> }>;

type Is<Given extends Wanted, Wanted> = Given;

/** Proves that nobody waits for the host's own files without a time limit. */
// @ts-expect-error -- it cannot be awaited
export type UnlimitedAnswer = Is<ReturnType<UxpFile['delete']>, PromiseLike<number>>;
// @ts-expect-error -- it has no time limits
export type UnlimitedFile = Is<UxpFile, FileEntry>;
// @ts-expect-error -- the host does not know it
export type ForeignFile = Is<FileEntry, UxpFile>;
