/** Between two attempts without a connection, in milliseconds. */
const PAUSE_MS = 10_000;

/** What came back: the status and the text of the service, or of something between us and it. */
interface Received {
  readonly status: number;
  readonly text: string;
}

/** @returns undefined without a connection: nothing came back, or not all of it */
export async function request(address: string, init: RequestInit): Promise<Received | undefined> {
  try {
    const response = await fetch(address, init);
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** Resolves when another attempt may succeed: the browser is online again, somebody presses Try again, or a while is over. */
export function nextAttempt(): Promise<void> {
  return new Promise((resolve) => {
    const waiting = new AbortController();
    const goOn = (): void => {
      clearTimeout(timer);
      waiting.abort();
      resolve();
    };
    const timer = setTimeout(goOn, PAUSE_MS);
    addEventListener('online', goOn, { signal: waiting.signal });
    document.addEventListener(
      'click',
      ({ target }) => {
        if (target instanceof Element && target.closest('button.try-again') !== null) {
          goOn();
        }
      },
      { signal: waiting.signal },
    );
  });
}
