import type { Browser, ElementHandle, Frame, JSHandle, Page } from 'puppeteer-core';
import { PATIENCE_MS, POLLING_MS } from './patience.js';

const BUTTONS = 'button, [type="submit"], sp-button, sp-action-button, .control';

/**
 * Waits for an enabled, visible button with exactly this text and clicks it with the mouse.
 *
 * @throws when there is none within 10 s; the error lists the buttons.
 */
export async function clickButton(place: Page | Frame, text: string): Promise<void> {
  const find = async (): Promise<JSHandle<HTMLElement | undefined>> => {
    await awaitButton(place, text);
    return place.evaluateHandle(
      (selector, wanted) =>
        [...document.querySelectorAll<HTMLElement>(selector)].find(
          (found) =>
            found.textContent.trim() === wanted &&
            found.checkVisibility() &&
            !found.hasAttribute('disabled'),
        ),
      BUTTONS,
      text,
    );
  };
  const page = 'mainFrame' in place ? place : place.page();
  // Without scripts the page moves nothing, and no listener reports the press.
  await (page.isJavaScriptEnabled() ? clickUntilPressed(text, find) : click(await find(), text));
}

async function click(button: JSHandle<HTMLElement | undefined>, text: string): Promise<void> {
  const element = button.asElement() as ElementHandle<HTMLElement> | null;
  if (element === null) throw new Error(`The button "${text}" went away.`);
  await element.click();
}

/**
 * Clicks what `find` gives. When the layout moves before the mouse is there, the press on something else is stopped, and
 * the click repeated. The panel may also draw the button again: then another element with the same text counts.
 */
export async function clickUntilPressed(
  text: string,
  find: () => Promise<JSHandle<HTMLElement | undefined>>,
): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    const button = await find();
    const outcome = await button.evaluateHandle((found, selector) => {
      const guard = new AbortController();
      const result = { isPressed: false, guard };
      for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
        window.addEventListener(
          type,
          (event) => {
            // A script clicks too: the panel's, to open the file chooser.
            if (!event.isTrusted) return;
            const at = event.target instanceof Element ? event.target : null;
            const pressed = at?.closest(selector);
            const isWanted =
              found?.contains(at) === true ||
              (pressed && pressed.textContent.trim() === found?.textContent.trim()) === true;
            if (!isWanted) {
              event.preventDefault();
              event.stopImmediatePropagation();
            } else if (type === 'click') result.isPressed = true;
          },
          { capture: true, signal: guard.signal },
        );
      return result;
    }, BUTTONS);
    try {
      await click(button, text);
    } catch (error) {
      // A button that was drawn again since is found by the next attempt.
      if (await button.evaluate((found) => found?.isConnected === true)) throw error;
    }
    const isPressed = outcome.evaluate((result) => {
      result.guard.abort();
      return result.isPressed;
    });
    // A press that leads to another page takes the outcome with it.
    if (await isPressed.catch(() => true)) return;
    await new Promise((resolve) => setTimeout(resolve, POLLING_MS));
  }
  throw new Error(`The button "${text}" moved away.`);
}

/** The tab with an address that begins with `url` and that `press` opens, as the system browser would come up. */
export async function tabOpenedBy(
  browser: Browser,
  url: string,
  press: () => Promise<void>,
): Promise<Page> {
  const earlier = new Set(browser.targets());
  const [target] = await Promise.all([
    browser.waitForTarget((opened) => !earlier.has(opened) && opened.url().startsWith(url), {
      timeout: PATIENCE_MS,
    }),
    press(),
  ]);
  const opened = await target.page();
  if (opened === null) throw new Error('The opened tab is no page.');
  return opened;
}

/** Chooses files in the dialog that `press` opens. */
export async function chooseFiles(
  page: Page,
  paths: readonly string[],
  press: () => Promise<void>,
): Promise<void> {
  const [chooser] = await Promise.all([page.waitForFileChooser({ timeout: PATIENCE_MS }), press()]);
  await chooser.accept([...paths]);
}

/** Waits until there is an enabled, visible button with exactly this text. */
export async function awaitButton(place: Page | Frame, text: string): Promise<void> {
  try {
    await place.waitForFunction(
      (selector, wanted) =>
        [...document.querySelectorAll<HTMLElement>(selector)].some(
          (found) =>
            found.textContent.trim() === wanted &&
            found.checkVisibility() &&
            !found.hasAttribute('disabled'),
        ),
      { timeout: PATIENCE_MS, polling: POLLING_MS },
      BUTTONS,
      text,
    );
  } catch (cause) {
    const seen = await place.evaluate(() => document.body.innerText);
    throw new Error(`No button "${text}" on ${place.url()}, which reads:\n${seen}`, { cause });
  }
}

/** Waits until the page or frame shows a text. */
export async function awaitText(
  place: Page | Frame,
  text: string,
  timeout = PATIENCE_MS,
): Promise<void> {
  try {
    await place.waitForFunction(
      (wanted) => document.body.innerText.includes(wanted),
      { timeout, polling: POLLING_MS },
      text,
    );
  } catch (cause) {
    const seen = await place.evaluate(() => document.body.innerText);
    throw new Error(`No "${text}" on ${place.url()}, which reads:\n${seen}`, { cause });
  }
}
