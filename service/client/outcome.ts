/** Between two looks for the outcome, in milliseconds. */
const LOOK_MS = 3000;

/** On a page that waits for a decision elsewhere, such as in an app: loads the outcome as soon as there is one. */
export async function showOutcome(): Promise<void> {
  while (awaitsOutcome(document)) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    if (await hasOutcome()) {
      location.reload();
      return;
    }
  }
}

function awaitsOutcome(page: Document): boolean {
  return page.querySelector('[data-awaits-outcome]') !== null;
}

async function hasOutcome(): Promise<boolean> {
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    // A proxy or a service in trouble answers with a page, too, but has no outcome.
    return response.status < 500 && !awaitsOutcome(page);
  } catch {
    // No connection: the next look may have one.
    return false;
  }
}
