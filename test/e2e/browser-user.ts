import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'puppeteer-core';
import {
  isLanguage,
  LANGUAGES,
  type Language,
} from '../../service/kernel/i18n/locale-negotiation.js';
import type { Translator } from '../../service/kernel/i18n/translator.js';
import type { TestService } from '../service/support/running-service.js';
import { IS_LONG } from '../support/long-runs.js';
import type { CleanUp } from './clean-up.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** All rules, also those of good form that WCAG does not ask for. */
const RULES: RunOptions = { resultTypes: ['violations'] };
/** Markup and colors are the same in every language. In the others axe looks once, and not at colors. */
const COLOURED = ['en', 'de'];
/** The languages of a walk: in runs that are not long the one with the longest words, which fail first. */
export const WALKED: readonly Language[] = IS_LONG
  ? Object.keys(LANGUAGES).filter(isLanguage)
  : ['de'];
const COLOURLESS: RunOptions = { ...RULES, rules: { 'color-contrast': { enabled: false } } };

/** The narrowest width that WCAG 1.4.10 requires; a window of 640 pixels at 200 % is the same width. */
export const NARROW = { width: 320, height: 640 };
const WIDE = { width: 1280, height: 800 };

type Look = readonly [viewport: typeof NARROW, scheme: 'dark' | 'light'];
const LOOKS: readonly Look[] = [
  [NARROW, 'dark'],
  [WIDE, 'light'],
];

/** Longer than a line of a narrow page. */
export const LONG_WORD = 'Hochzeitsfotografenverwaltungsgesellschaft';

/** Visits all pages as a user does, and checks each. */
export class Visitor {
  readonly faults: string[] = [];
  readonly looked: string[] = [];
  private readonly page: Page;
  private readonly service: TestService;
  private readonly translator: Translator;
  /** Where the script of axe is. */
  private readonly axe: string;
  private scheme = '';

  constructor(page: Page, service: TestService, translator: Translator, axe: string) {
    this.page = page;
    this.service = service;
    this.translator = translator;
    this.axe = axe;
  }

  async walk(): Promise<void> {
    const { translator, service } = this;
    await this.open('/', 'welcome');
    await this.open('/nowhere', 'not-found');
    await this.open('/oauth/authorize?client_id=nobody', 'request-problem');
    await this.open('/oauth/interaction/nothing', 'too-old');
    await this.open('/oauth/device', 'enter');
    await this.type('user_code', 'BCDF-GHJK');
    await this.press(translator.t('continue'), 'unknown-code');

    await this.open(await this.codeAddress(), 'compare');
    await this.press(translator.t('continue'), 'sign-in');
    await this.type('username', service.demo.username);
    await this.type('password', 'wrong');
    await this.press(translator.t('signIn'), 'sign-in-wrong');
    await this.type('password', service.demo.password);
    await this.press(translator.t('signIn'), 'consent');
    await this.press(translator.t('allow'), 'connected');
    await this.open(await this.codeAddress());
    await this.press(translator.t('continue'));
    await this.press(translator.t('deny'), 'denied');

    await this.open('/settings/apps?flash=saved', 'apps');
    const invitation = await this.walkPeople();
    await this.open('/settings/security', 'security');
    await this.open('/settings/developer', 'developer');
    await this.press(translator.t('newApplication'), 'new-application');
    await this.choose('input[value="confidential"]');
    await this.type('name', 'Langer Name einer Anwendung');
    await this.type('redirect_uris', `https://print-shop.example/${'callback/'.repeat(12)}`);
    await this.press(translator.t('createApplication'), 'application-problem');
    await this.choose('input[value="uploads:read"]');
    await this.press(translator.t('createApplication'), 'application-created');
    await this.press(translator.t('done'));
    await this.press('Langer Name einer Anwendung', 'application');
    await this.open('/settings/developer/tokens/new', 'new-token');
    await this.type('name', 'Script');
    await this.choose('input[value="uploads:read"]');
    await this.press(translator.t('createToken'), 'token-created');
    await this.press(translator.t('done'), 'developer-full');
    await this.walkPhotos();
    await this.openAccountMenu();
    await this.press(translator.t('signOut'), 'settings-sign-in');
    await this.open(invitation, 'invitation');
  }

  /** Returns the path of an invitation. */
  private async walkPeople(): Promise<string> {
    const { page, service, translator } = this;
    await this.open('/settings/account', 'account');
    await this.open('/settings/people', 'people');
    await this.press(translator.t('changeMember'), 'member');
    await this.open('/settings/people/invitations/new');
    await this.press(translator.t('makeLink'), 'invitation-link');
    const link = await page.$eval('#link', ({ textContent }) => textContent);
    return link.replace(service.baseUrl, '');
  }

  private async walkPhotos(): Promise<void> {
    const { translator } = this;
    await this.open('/photos', 'photos');
    await this.open(`/photos?q=${LONG_WORD}`, 'photos-found');
    await this.tabTo('a.picture', (wanted) => document.activeElement?.matches(wanted) === true);
    await this.open('/photos/photo-059', 'photo');
    await this.press(translator.t('moveToTrash'), 'photos-trashed');
    await this.press(translator.t('undo'), 'photo-restored');
    await this.press(translator.t('photos'));
    await this.choose('input[value="photo-058"]');
    await this.open('/photos?q=nothing-like-it', 'photos-none');
    await this.open('/photos/trash', 'trash');
    await this.open('/photos/photo-060', 'photo-in-trash');
    await this.open('/photos/nothing', 'no-photo');
    await this.walkProjects();
    await this.open('/photos');
  }

  private async walkProjects(): Promise<void> {
    const { translator } = this;
    await this.open('/projects');
    await this.type('name', `${LONG_WORD} ${translator.language}`);
    await this.press(translator.t('createProject'), 'project');
    await this.open('/projects', 'projects');
    await this.open('/photos?project=none', 'photos-of-project');
    await this.open('/shares/new?photo=photo-059', 'new-share');
    await this.press(translator.t('createShare'), 'share-made');
    const link = await this.page.$eval('input#secret', ({ value }) => value);
    await this.open('/shares', 'shares');
    await this.open(new URL(link).pathname, 'shared');
  }

  /** A new code, as a link brings it. */
  private async codeAddress(): Promise<string> {
    const response = await fetch(`${this.service.baseUrl}/api/oauth/device_authorization`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'creative-workspace-plugin', scope: 'uploads:write' }),
    });
    const { user_code: code } = (await response.json()) as { user_code: string };
    return `/oauth/device?user_code=${code}`;
  }

  private async open(address: string, name?: string): Promise<void> {
    await this.page.goto(this.service.baseUrl + address);
    if (name !== undefined) await this.look(name);
  }

  /** Replaces the value of a field, reached with the keyboard. */
  private async type(name: string, text: string): Promise<void> {
    await this.tabTo(name, (wanted) => document.activeElement?.getAttribute('name') === wanted);
    await this.page.keyboard.down('Control');
    await this.page.keyboard.press('a');
    await this.page.keyboard.up('Control');
    if (IS_LONG) await this.page.keyboard.type(text);
    // In one step, like a paste: each key costs two messages to the browser.
    else await this.page.keyboard.sendCharacter(text);
  }

  private async openAccountMenu(): Promise<void> {
    const summary = '.account summary';
    await this.tabTo(summary, (wanted) => document.activeElement?.matches(wanted) === true);
    await this.page.keyboard.press('Enter');
  }

  private async choose(selector: string): Promise<void> {
    await this.tabTo(selector, (wanted) => {
      // Tab comes to the first of a group of radio buttons.
      const active = document.activeElement;
      const element = document.querySelector(wanted);
      return active === element;
    });
    await this.page.keyboard.press('Space');
  }

  /** Presses a button, or follows a link, with the keyboard. */
  private async press(label: string, name?: string): Promise<void> {
    await this.tabTo(label, (wanted) => document.activeElement?.textContent.trim() === wanted);
    await Promise.all([this.page.waitForNavigation(), this.page.keyboard.press('Enter')]);
    if (name !== undefined) await this.look(name);
  }

  private async tabTo(what: string, isThere: (what: string) => boolean): Promise<void> {
    for (let count = 0; count < 40; count += 1) {
      if (await this.page.evaluate(isThere, what)) {
        if (!(await this.page.evaluate(showsFocus)))
          this.faults.push(`the focus on ${what} is not to be seen on ${this.page.url()}`);
        return;
      }
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${what} on ${this.page.url()}`);
  }

  /**
   * Checks the page wide and light, and narrow and dark. Unless the run is long, axe takes only the first look: pages have
   * their colors in common, so every other page is dark.
   */
  async look(name: string): Promise<void> {
    const { page, translator } = this;
    this.looked.push(name);
    const note = (fault: string): void => {
      this.faults.push(`${name} (${translator.language}): ${fault}`);
    };
    // The next page is checked first in the layout of this one, which halves the number of layouts.
    const order = this.looked.length % 2 === 0 ? LOOKS : LOOKS.toReversed();
    for (const [at, [viewport, scheme]] of order.entries()) {
      await this.showAs(viewport, scheme);
      if (at === 0 || (IS_LONG && COLOURED.includes(translator.language)))
        for (const fault of await this.faultsOfAxe()) note(`${scheme}: ${fault}`);
      const { language, faults } = await page.evaluate(cutOff);
      if (language !== translator.language) note('language');
      for (const fault of faults) note(`at ${viewport.width} px: ${fault}`);
    }
  }

  private async showAs(viewport: typeof NARROW, scheme: 'dark' | 'light'): Promise<void> {
    if (this.page.viewport()?.width !== viewport.width) await this.page.setViewport(viewport);
    if (this.scheme === scheme) return;
    this.scheme = scheme;
    await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  }

  private async faultsOfAxe(): Promise<string[]> {
    if (!(await this.page.evaluate(() => 'axe' in window)))
      await this.page.addScriptTag({ url: this.axe });
    return this.page.evaluate(
      async (rules) => {
        const { axe } = window as unknown as { axe: { run(rules: object): Promise<AxeResults> } };
        // Its other results are large and not needed.
        const { violations } = await axe.run(rules);
        return violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
        );
      },
      COLOURED.includes(this.translator.language) ? RULES : COLOURLESS,
    );
  }
}

/**
 * Lets browsers have axe as a script that they keep: half a megabyte, sent along to each page, costs more than its looks.
 * @returns where it is
 */
export async function serveAxe(cleanUp: CleanUp): Promise<string> {
  const script = await readFile(AXE);
  const server = createServer((_request, response) => {
    response.writeHead(200, {
      'content-type': 'text/javascript',
      'cache-control': 'max-age=3600',
      'cross-origin-resource-policy': 'cross-origin',
    });
    response.end(script);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://localhost:${(server.address() as AddressInfo).port}/axe.js`;
}

/** Runs in the page: its language, elements that scroll sideways, text that does not fit, and sentences in pieces. */
function cutOff(): { language: string; faults: string[] } {
  const { scrollWidth, clientWidth } = document.documentElement;
  const found = scrollWidth > clientWidth ? [`${scrollWidth} wide`] : [];
  for (const element of document.querySelectorAll('body *')) {
    // Such as the content of a closed menu.
    if (!element.checkVisibility()) continue;
    const { left, right } = element.getBoundingClientRect();
    const name = `${element.tagName} ${element.textContent.trim().slice(0, 40)}`;
    // Each text beside a name would be a separate column.
    const isSplit =
      /flex|grid/.test(getComputedStyle(element).display) &&
      element.querySelector(':scope > bdi') !== null &&
      [...element.childNodes].some(
        ({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim(),
      );
    if (isSplit) found.push(`a sentence in pieces: ${name}`);
    if (left < 0 || right > clientWidth) found.push(`out of the page: ${name}`);
    // A list to choose from shows its entries whole when it is opened.
    const scrollsItself = ['TEXTAREA', 'INPUT', 'SELECT'].includes(element.tagName);
    // A name on a picture ends with dots: the picture has it as its text. Boxes in a drawing have other sides.
    if (element.closest('.photos .caption, svg') !== null) continue;
    if (!scrollsItself && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      found.push(`cut: ${name}`);
  }
  return { language: document.documentElement.lang, faults: found };
}

/** Runs in the page: whether the focus is visible. */
function showsFocus(): boolean {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
  return outlineStyle === 'auto' || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2);
}
