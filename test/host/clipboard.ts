import { isAtLeast } from '../../uxp-api/versions.js';
import type { Findings } from './findings.js';
import { HostFailure } from './modules/lifetime.js';
import type { Lifetime } from './modules/lifetime.js';

/** The system's clipboard, for the test. */
export interface ClipboardControl {
  text: string;
  /** When set, every call rejects with this text. */
  failure: string | undefined;
}

/** `navigator.clipboard`, with the shapes of the running UXP version and the manifest's permission. */
export function createClipboard(
  uxpVersion: string,
  permission: 'none' | 'read' | 'readAndWrite',
  lifetime: Lifetime,
  findings: Findings,
): { clipboard: object; control: ClipboardControl } {
  const control: ClipboardControl = { text: '', failure: undefined };
  const takesText = isAtLeast(uxpVersion, '8.0.1');
  const guarded = <T>(writes: boolean, task: () => T): Promise<T> =>
    lifetime.call(() => {
      if (permission === 'none' || (writes && permission !== 'readAndWrite')) {
        const text = `Permission denied: requiredPermissions.clipboard is ${permission}`;
        findings.add('clipboard', text);
        throw new Error(text);
      }
      if (control.failure !== undefined) throw new Error(control.failure);
      return task();
    });
  const plain = (data: unknown): string => {
    const text =
      typeof data === 'object' && data !== null
        ? (data as Record<string, unknown>)['text/plain']
        : undefined;
    if (typeof text !== 'string') {
      throw new HostFailure(
        new lifetime.realm.TypeError('clipboard: an object with "text/plain" is needed'),
      );
    }
    return text;
  };
  const write = (data: unknown): Promise<void> =>
    guarded(true, () => {
      control.text = plain(data);
    });
  const read = (): Promise<object> => guarded(false, () => ({ 'text/plain': control.text }));
  const clear = (): Promise<void> =>
    guarded(true, () => {
      control.text = '';
    });
  const clipboard = {
    setContent: write,
    getContent: read,
    clearContent: clear,
    write,
    read,
    writeText: (text: unknown): Promise<void> =>
      guarded(true, () => {
        if (!takesText) control.text = plain(text);
        else if (typeof text === 'string') control.text = text;
        else
          throw new HostFailure(
            new lifetime.realm.TypeError('clipboard: writeText takes a string'),
          );
      }),
    readText: (): Promise<unknown> =>
      guarded(false, () => (takesText ? control.text : { 'text/plain': control.text })),
  };
  return { clipboard, control };
}
