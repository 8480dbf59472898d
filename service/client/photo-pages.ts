import { showLocalTimes } from './times.js';

/** Sent to the document when photos were added to the page or replaced. */
export const PHOTOS_CHANGED = 'photos-changed';

/** The list of photos of the page, if it has one. */
export function photoList(root: ParentNode = document): HTMLUListElement | undefined {
  return root.querySelector<HTMLUListElement>('ul.photos') ?? undefined;
}

/** Reads a page of ours. @throws {Error} when it cannot be read. */
export async function readPage(address: string, signal?: AbortSignal): Promise<Document> {
  const response = await fetch(address, signal === undefined ? {} : { signal });
  // After a sign-out, the answer is the sign-in page.
  const isOurs = new URL(response.url).pathname === new URL(address, location.href).pathname;
  if (!response.ok || !isOurs) {
    throw new Error(`${address}: ${response.status}`);
  }
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  showLocalTimes(page);
  return page;
}

/**
 * Dispatches {@link PHOTOS_CHANGED}.
 * @param added the photos that were added to the end of the list, if nothing else has changed
 */
export function photosChanged(added?: readonly HTMLLIElement[]): void {
  document.dispatchEvent(new CustomEvent(PHOTOS_CHANGED, { detail: added }));
}

/** Calls `changed` after each {@link PHOTOS_CHANGED}, with the photos that were added, if nothing else has changed. */
export function whenPhotosChange(changed: (added?: readonly HTMLLIElement[]) => void): void {
  document.addEventListener(PHOTOS_CHANGED, (event) => {
    const { detail } = event as CustomEvent<readonly HTMLLIElement[] | null>;
    changed(detail ?? undefined);
  });
}

/** The photos of a list, without its headings. */
export function itemsOf(list: ParentNode): HTMLLIElement[] {
  return [...list.querySelectorAll<HTMLLIElement>('li[data-id]')];
}
