import type { Realm } from './realm.js';

const names = [
  'AbstractMethodInvocationError',
  'ProviderMismatchError',
  'EntryIsNotAnEntryError',
  'EntryIsNotAFolderError',
  'EntryIsNotAFileError',
  'NotAFileSystemError',
  'OutOfSpaceError',
  'PermissionDeniedError',
  'EntryExistsError',
  'FileIsReadOnlyError',
  'DomainNotSupportedError',
  'InvalidFileNameError',
  'InvalidFileFormatError',
  'DataFileFormatMismatchError',
] as const;

export type StorageErrorName = (typeof names)[number];

/** `storage.errors`: the classes of its page, made in the plugin's realm. */
export type StorageErrors = Readonly<Record<StorageErrorName, new (message: string) => Error>>;

export function createStorageErrors(realm: Realm): StorageErrors {
  const make = (name: StorageErrorName): new (message: string) => Error =>
    class extends realm.Error {
      constructor(message: string) {
        super(message);
        this.name = name;
      }
    };
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<
    StorageErrorName,
    new (message: string) => Error
  >;
}
