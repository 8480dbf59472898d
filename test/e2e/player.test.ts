import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { Translator } from '../../service/kernel/i18n/translator.js';
import { shareAs } from '../service/delivery/shares/sharing.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace, connectAs, send, type TestUser } from '../service/support/users.js';
import { film, type FilmName } from '../support/films.js';
import { launchBrowser } from './browser.js';
import { serveAxe, Visitor } from './browser-user.js';
import { CleanUp } from './clean-up.js';
import { becomes } from './patience.js';
import { screenshot } from './screenshot.js';

/** Of `counting.webm`, in frames per second. */
const RATE = 25;

/** The film that the viewer shows. */
const SHOWN = '.pswp__item[aria-hidden="false"] video';

/** Films in the browser of a user. This Chromium plays WebM, and not H.264 or HEVC. */
describe('the player', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let owner: TestUser;
  let counting: string;
  let later: string;
  let hevc: string;
  let axe: string;

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    axe = await serveAxe(cleanUp);
    const workspaceId = await addWorkspace(service, 'Film Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    const token = await connectAs(service, owner);
    counting = await sendFilm(token, 'counting.webm', 'Trailer.webm');
    hevc = await sendFilm(token, 'hdr.mp4', 'Sunset.mp4');
    later = await sendFilm(token, 'counting.webm', 'Trailer, later.webm');
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  it('plays, seeks, steps by frames and changes its speed by keys', async () => {
    const page = await signedIn(`/photos/${counting}`);
    expect(await hasFrames(page, 'video')).toBe(true);
    expect(await state(page)).toMatchObject({ paused: true, muted: true, width: 96 });
    await page.focus('video');
    await page.keyboard.press('Space');
    expect(await becomes(async () => (await state(page)).time > 0.2)).toBe(true);
    await page.keyboard.press('k');
    const stopped = await state(page);
    expect(stopped.paused).toBe(true);
    await page.keyboard.press('j');
    expect((await state(page)).time).toBe(0);
    for (const [key, frame] of [
      ['.', 1],
      ['.', 2],
      [',', 1],
    ] as const) {
      await page.keyboard.press(key);
      expect([key, Math.floor((await state(page)).time * RATE)]).toEqual([key, frame]);
    }
    await page.keyboard.press('l');
    expect((await state(page)).time).toBeCloseTo(4, 1);
    await page.keyboard.press('ArrowLeft');
    expect((await state(page)).time).toBe(0);
    await page.keyboard.press('>');
    await page.keyboard.press('m');
    expect(await state(page)).toMatchObject({ speed: 1.5, muted: false });
    // The arrow key was for the film, and not for the photo beside it.
    expect(new URL(page.url()).pathname).toBe(`/photos/${counting}`);
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
    await Promise.all([page.waitForNavigation(), page.keyboard.press('ArrowLeft')]);
    expect(new URL(page.url()).pathname).not.toBe(`/photos/${counting}`);
    await page.close();
  });

  it('plays without scripts, and shows what this browser cannot play with a sentence', async () => {
    const plain = await signedIn(`/photos/${counting}`, false);
    expect(await plain.$eval('video', (one) => [one.controls, one.playsInline])).toEqual([
      true,
      true,
    ]);
    await plain.close();
    const page = await signedIn(`/photos/${hevc}`);
    expect(
      await page.evaluate(() =>
        document.createElement('video').canPlayType('video/mp4; codecs="hvc1.1.6.L93.B0"'),
      ),
    ).toBe('');
    await page.waitForSelector('.player-problem', { visible: true });
    await page.close();
  });

  it('has no findings of axe, wide and narrow, for members and guests', async () => {
    const path = await shareAs(service, owner, { photo: counting });
    for (const [name, address] of [
      ['film', `/photos/${counting}`],
      ['film-of-link', `${path}/photo?photo=${counting}`],
    ] as const) {
      const page = await signedIn(address);
      await page.setBypassCSP(true);
      await page.reload();
      const visitor = new Visitor(page, service, new Translator('en'), axe);
      expect(await hasFrames(page, 'video')).toBe(true);
      for (let times = 0; times < 2; times += 1) {
        await visitor.look(name);
        await screenshot(page, `${name}-${page.viewport()?.width ?? 0}`);
      }
      expect(visitor.faults).toEqual([]);
      await page.close();
    }
  });

  it('plays in the viewer, whose arrow keys are the film’s only while it has the focus', async () => {
    const page = await signedIn('/photos');
    await page.click(`[data-id="${counting}"] .picture`);
    expect(await hasFrames(page, SHOWN)).toBe(true);
    await page.waitForSelector('.pswp--ui-visible');
    await page.focus(SHOWN);
    await page.keyboard.press('ArrowRight');
    expect(await page.$eval(SHOWN, (video) => video.currentTime)).toBeCloseTo(4, 1);
    expect(await text(page, '.viewer-name')).toBe('Trailer.webm');
    await page.focus('.viewer-close');
    const others = async (): Promise<boolean> =>
      (await text(page, '.viewer-name')) !== 'Trailer.webm';
    await page.keyboard.press('ArrowLeft');
    expect(await becomes(others)).toBe(true);
    // The film that is no longer on the screen is not loaded.
    expect(
      await becomes(() =>
        page.$$eval('.pswp__item[aria-hidden="true"] video', (videos) =>
          videos.every((video) => !video.hasAttribute('src')),
        ),
      ),
    ).toBe(true);
    await page.keyboard.press('Escape');
    await page.close();
  });

  it('plays two versions together', async () => {
    await service.database.query(
      'UPDATE uploads SET version_of = $1, is_current = false WHERE id = $2',
      [counting, later],
    );
    const page = await signedIn(`/photos/${counting}/compare?with=${later}`);
    expect(await hasFrames(page, 'figure:first-of-type video')).toBe(true);
    expect(await hasFrames(page, 'figure:last-of-type video')).toBe(true);
    const both = (): Promise<{ times: number[]; paused: boolean[] }> =>
      page.$$eval('.comparison video', (videos) => ({
        times: videos.map(({ currentTime }) => currentTime),
        paused: videos.map(({ paused }) => paused),
      }));
    await page.focus('figure:first-of-type video');
    await page.keyboard.press('l');
    expect(await becomes(async () => (await both()).times.every((time) => time > 3.9))).toBe(true);
    await page.keyboard.press('j');
    expect(await becomes(async () => (await both()).times.every((time) => time < 0.1))).toBe(true);
    await page.keyboard.press('Space');
    expect(await becomes(async () => (await both()).times.every((time) => time > 0.1))).toBe(true);
    await page.keyboard.press('Space');
    expect(await becomes(async () => (await both()).paused.every(Boolean))).toBe(true);
    const [one = 0, other = 1] = (await both()).times;
    expect(Math.abs(one - other)).toBeLessThan(0.1);
    await page.close();
  });

  async function sendFilm(token: string, sample: FilmName, name: string): Promise<string> {
    // Some bytes behind the film make it another file.
    const bytes = Buffer.concat([film(sample), Buffer.from([0xec, 0x80 + (name.length % 2)])]);
    const id = await send(service, token, name, new Uint8Array(bytes));
    const sql = 'SELECT 1 FROM uploads WHERE id = $1 AND media_info IS NOT NULL';
    expect(await becomes(async () => (await service.database.query(sql, [id])).length > 0)).toBe(
      true,
    );
    return id;
  }

  async function signedIn(path: string, hasScripts = true): Promise<Page> {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(hasScripts);
    await page.goto(service.baseUrl + path);
    if (new URL(page.url()).pathname === '/settings/sign-in') {
      await page.type('input[name="username"]', owner.username);
      await page.type('input[name="password"]', owner.password);
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    }
    return page;
  }
});

function text(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, (found) => found.textContent.trim());
}

/** Whether a film has come as far as its first frame. */
function hasFrames(page: Page, selector: string): Promise<boolean> {
  return becomes(() =>
    page.evaluate((wanted) => {
      const video = document.querySelector<HTMLVideoElement>(wanted);
      return video !== null && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
    }, selector),
  );
}

function state(page: Page): Promise<{
  time: number;
  paused: boolean;
  muted: boolean;
  speed: number;
  width: number;
}> {
  return page.$eval('video', (video) => ({
    time: video.currentTime,
    paused: video.paused,
    muted: video.muted,
    speed: video.playbackRate,
    width: video.videoWidth,
  }));
}
