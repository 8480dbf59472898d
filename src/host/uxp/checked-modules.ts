/**
 * Holds what `modules.ts` says of `uxp` and `fs` against Adobe's own type package (UXP 7.3), so that a member which does
 * not exist is a compile error, as one of another type is where the package tells types. Types only: nothing of this gets
 * into the script. It stands apart because the package declares the globals of the host, which nothing outside `src/`
 * must see.
 * @packageDocumentation
 */
import type fs from 'fs';
import type { entrypoints, host, secureStorage, storage, versions } from 'uxp';
import type * as uxp from 'uxp';
import type { UxpFile, UxpFileSystem, UxpFolder, UxpFs, UxpModule } from './modules.js';

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
  // File page: a file has all that an entry has; the package left that out.
  file: InPackage<UxpFile, storage.File & storage.Entry>;
  folder: InPackage<UxpFolder, storage.Folder>;
  fs: InPackage<UxpFs, typeof fs>;
}>;

/** Proves that the check works: a member that does not exist has to be a compile error in the next line. */
// @ts-expect-error -- there is no such member
export type UncheckedModules = AllTrue<{ file: InPackage<{ saveAs(): void }, storage.File> }>;
