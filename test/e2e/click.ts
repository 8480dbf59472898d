import type { ElementHandle, Frame, JSHandle, Page } from 'puppeteer-core';
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

/** Clicks what `find` gives. Clicks again when it moved before the mouse was there, as after a change of the layout. */
export async function clickUntilPressed(
  text: string,
  find: () => Promise<JSHandle<HTMLElement | undefined>>,
): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    const button = await find();
    const outcome = await button.evaluateHandle((found, selector) => {
      const result = { isPressed: false };
      // The panel may have drawn the button again: then another element with the same text is pressed.
      document.addEventListener(
        'click',
        ({ target }) => {
          const pressed = target instanceof Element ? target.closest(selector) : null;
          result.isPressed =
            (target instanceof Node && found?.contains(target) === true) ||
            pressed?.textContent.trim() === found?.textContent.trim();
        },
        { capture: true, once: true },
      );
      return result;
    }, BUTTONS);
    await click(button, text);
    // A press that leads to another page takes the outcome with it.
    if (await outcome.evaluate(({ isPressed }) => isPressed).catch(() => true)) return;
    await new Promise((resolve) => setTimeout(resolve, POLLING_MS));
  }
  throw new Error(`The button "${text}" moved away.`);
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
