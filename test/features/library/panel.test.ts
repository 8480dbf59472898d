import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LibraryFile } from '../../../src/features/library/library-file.js';
import { NO_FILES, type LibraryState } from '../../../src/features/library/library.js';
import { FIRST_QUERY } from '../../../src/features/library/library-query.js';
import { CwError } from '../../../src/util/errors.js';
import { Observable } from '../../../src/util/observable.js';
import { PanelFixture } from '../../panel/fixture.js';
import { libraryFile, libraryFiles } from './files.js';

const READY: LibraryState = { ...NO_FILES, access: 'ready' };

let fixture: PanelFixture;

beforeEach(() => {
  fixture = new PanelFixture();
});

async function show(more: Partial<LibraryState> = {}): Promise<void> {
  fixture.library.set({ ...READY, ...more });
  fixture.connectedWith();
  await fixture.drawn();
  await fixture.click('Browse files');
  layOut();
  await fixture.drawn();
}

/** Scrolling moves the list: the page of the tests has no layout. */
function layOut(): void {
  const area = scroller();
  const list = fixture.page.querySelector<HTMLElement>('.library-list');
  if (list) {
    list.getBoundingClientRect = () => new DOMRect(0, -(area?.scrollTop ?? 0), 206, 0);
  }
}

function scroller(): Element | null {
  return fixture.page.querySelector('.library-scroll');
}

async function change(more: Partial<LibraryState>): Promise<void> {
  fixture.library.set({ ...fixture.library.get(), ...more });
  await fixture.drawn();
}

function tiles(): HTMLElement[] {
  return [...fixture.page.querySelectorAll<HTMLElement>('.tile')];
}

function chosen(): (string | null | undefined)[] {
  return [...fixture.page.querySelectorAll('.tile.chosen')].map(
    (tile) => tile.querySelector('.tile-name')?.textContent,
  );
}

async function press(key: string, at = '.library-list'): Promise<boolean> {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
  fixture.page.querySelector(at)?.dispatchEvent(event);
  await fixture.drawn();
  return event.defaultPrevented;
}

async function scrollTo(y: number): Promise<void> {
  const area = scroller();
  if (area) {
    area.scrollTop = y;
  }
  await fixture.clock.advance(100);
}

describe('the line that opens the files', () => {
  it.each([
    ['unsupported', false],
    ['unknown', true],
    ['needs-permission', true],
    ['ready', true],
  ] as const)('with access %s is there: %s', async (access, isThere) => {
    fixture.library.set({ ...READY, access });
    fixture.connectedWith();
    await fixture.drawn();
    expect(fixture.buttons().includes('Browse files')).toBe(isThere);
  });

  it('loads the files when it is pressed, and stops when they are closed', async () => {
    await show();
    expect(fixture.actions.openLibrary.mock.calls).toHaveLength(1);
    await fixture.click('Done');
    expect(fixture.actions.closeLibrary.mock.calls).toHaveLength(1);
    expect(fixture.buttons()).toContain('Add photos');
  });
});

describe('the files', () => {
  it.each<[string, Partial<LibraryState>, readonly string[]]>([
    ['loading', { isLoading: true }, ['Loading…']],
    ['none', {}, ['No files yet. Files you upload appear here.']],
    ['none so far', { hasMore: true }, []],
    ['no match', { query: { ...FIRST_QUERY, text: 'x' } }, ['No files match.', 'Clear filters']],
    [
      'no match of a filter',
      { query: { ...FIRST_QUERY, isApproved: true } },
      ['No files match.', 'Clear filters'],
    ],
    [
      'an error',
      { error: new CwError('CW-616', 'x') },
      ['The service did not list the files. Try again or contact support.', 'CW-616', 'Try again'],
    ],
    [
      'an error after some',
      { files: [libraryFile('a.jpg')], hasMore: true, error: new CwError('CW-303', 'x') },
      ['a.jpg', expect.any(String) as unknown as string, 'CW-303', 'Try again'],
    ],
  ])('with %s show that', async (_name, state, lines) => {
    await show(state);
    const read = fixture.read();
    expect(read.slice(read.indexOf('Sort') + 1).slice(-lines.length || read.length)).toEqual(
      lines.length === 0 ? expect.any(Array) : lines,
    );
  });

  it('without a connection say so, and stay', async () => {
    await show({ files: [libraryFile('a.jpg')], error: new CwError('CW-301', 'x') });
    fixture.queue.set({ kind: 'waiting', error: new CwError('CW-301', 'x'), until: 1e15 });
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining(['No connection', 'The list may be out of date.', 'a.jpg']),
    );
    expect(fixture.buttons()).not.toContain('Try again');
  });

  it('are tried again after an error', async () => {
    await show({ error: new CwError('CW-303', 'x') });
    await fixture.click('Try again');
    expect(fixture.actions.loadMoreFiles.mock.calls).toHaveLength(1);
  });

  it.each<[Partial<LibraryFile>, readonly string[]]>([
    [{}, []],
    [{ version: 3 }, ['v3']],
    [{ version: null }, []],
    [{ length: { kind: 'pages', pages: 24 } }, ['24']],
    [{ length: { kind: 'duration', seconds: 92 } }, ['1:32']],
    [{ approval: { version: 2, isCurrent: true, by: null } }, ['Approved v2']],
  ])('with %j have the marks %j', async (more, marks) => {
    await show({ files: [libraryFile('a.jpg', more)] });
    const shown = [...(tiles()[0]?.querySelectorAll('.tile-mark, .tile-approved') ?? [])];
    expect(shown.map(({ textContent }) => textContent)).toEqual(marks);
  });

  it('that a guest approved before a change look different', async () => {
    const approval = { version: 1, isCurrent: false, by: null };
    await show({ files: [libraryFile('a.jpg', { approval })] });
    expect(fixture.page.querySelector('.tile-approved.past')).not.toBeNull();
  });

  it('have their pictures, in their own shape', async () => {
    fixture.uploadPicture = 'data:image/jpeg;base64,AAAA';
    await show({ files: [libraryFile('wide.jpg', { width: 5000, height: 1000 })] });
    const picture = fixture.page.querySelector<HTMLElement>('.tile img');
    const shape = parseInt(picture?.style.width ?? '') / parseInt(picture?.style.height ?? '');
    expect(picture?.getAttribute('src')).toBe(fixture.uploadPicture);
    expect(Math.round(shape)).toBe(5);
  });
});

describe('a file without a known shape', () => {
  it('has its picture in the shape that the picture has', async () => {
    fixture.uploadPicture = 'data:image/jpeg;base64,AAAA';
    await show({ files: [libraryFile('new.jpg', { width: null, height: null })] });
    const style = fixture.page.querySelector<HTMLElement>('.tile img')?.style;
    expect([style?.width, style?.height, style?.maxWidth]).toEqual([
      '',
      '',
      expect.stringMatching(/^\d+px$/),
    ]);
  });
});

describe('a search', () => {
  it('is passed on while the user types', async () => {
    await show();
    await fixture.type('har');
    expect(fixture.actions.changeLibrary.mock.calls).toEqual([[{ text: 'har' }]]);
  });

  it('that finds nothing is cleared with the filters', async () => {
    await show({ query: { ...FIRST_QUERY, text: 'x' } });
    await fixture.click('Clear filters');
    expect(fixture.actions.changeLibrary.mock.calls).toEqual([
      [{ text: '', project: null, kind: null, isApproved: false }],
    ]);
  });

  it.each([
    ['Type', 'Videos', { kind: 'video' }],
    ['Project', 'Wedding', { project: { id: 'p1', name: 'Wedding' } }],
    ['Project', 'Seen', { project: { id: 'p2', name: 'Seen' } }],
    ['My files', 'Everyone’s files', { isMine: false }],
    ['Sort', 'Name, Z to A', { order: 'name-desc' }],
  ])('is limited by %s: %s', async (name, entry, expected) => {
    fixture.destinations.set({
      ...fixture.destinations.get(),
      projects: [{ id: 'p1', name: 'Wedding', photos: 1, updated: 0 }],
    });
    await show({ projects: [{ id: 'p2', name: 'Seen' }] });
    await fixture.choose(name, entry);
    expect(fixture.actions.changeLibrary.mock.calls).toMatchObject([[expected]]);
  });

  it('is no longer limited', async () => {
    const query = { ...FIRST_QUERY, kind: 'video', isApproved: true, isMine: false } as const;
    await show({ query });
    await fixture.choose('Videos', 'All types');
    await fixture.click('ApprovedSelected');
    await fixture.choose('Everyone’s files', 'My files');
    expect(fixture.actions.changeLibrary.mock.calls).toEqual([
      [{ kind: null }],
      [{ isApproved: false }],
      [{ isMine: true }],
    ]);
  });
});

describe('a permission that is missing', () => {
  it.each([
    ['uploads:read', 'To see your files here, allow it once in the browser.'],
    [
      'workspace:read',
      'To see files of others, allow it once in the browser. This panel then shows the same files as the browser.',
    ],
  ])('%s is requested in words', async (neededScope, words) => {
    await show({ access: 'needs-permission', neededScope });
    expect(fixture.read()).toContain(words);
    expect(fixture.page.querySelector('sp-textfield')).toBeNull();
    await fixture.click('Open browser');
    expect(fixture.signInCalls.startForScope.mock.calls).toEqual([[neededScope]]);
  });
});

describe('a chosen file', () => {
  const FILES = [
    libraryFile('a.jpg'),
    libraryFile('b.jpg', { approval: null }),
    libraryFile('c.jpg'),
  ];

  it('stays chosen while further files come', async () => {
    await show({ files: FILES, hasMore: true });
    tiles()[1]?.click();
    await fixture.drawn();
    expect(chosen()).toEqual(['b.jpg']);
    await change({ files: [...FILES, ...libraryFiles(200)] });
    expect(chosen()).toEqual(['b.jpg']);
  });

  it.each([
    [true, 300, 'Files', 1],
    [true, 600, 'Details', 0],
    [false, 300, 'Details', 0],
  ])(
    'is placed by a double click, if the app can (%s, after %d ms): %s',
    async (canPlace, wait, title, placed) => {
      fixture.placing.set({ ...fixture.placing.get(), canPlace });
      await show({ files: FILES });
      tiles()[0]?.click();
      await fixture.clock.advance(wait);
      tiles()[0]?.click();
      await fixture.drawn();
      expect(fixture.read()).toContain(title);
      const calls = fixture.actions.placeFile.mock.calls;
      expect(calls).toEqual(placed === 0 ? [] : [[FILES[0], 'original']]);
    },
  );

  it('is not placed by two presses on two files', async () => {
    await show({ files: FILES });
    tiles()[0]?.click();
    tiles()[1]?.click();
    await fixture.drawn();
    expect(chosen()).toEqual(['b.jpg']);
    expect(fixture.actions.placeFile.mock.calls).toEqual([]);
  });

  it('is placed by a button next to it, while another is on its way', async () => {
    fixture.actions.placeFile.mockReturnValue(new Promise(() => undefined));
    await show({ files: FILES });
    for (const at of [0, 1]) {
      tiles()[at]?.click();
      await fixture.drawn();
      await fixture.click('Place');
    }
    expect(fixture.actions.placeFile.mock.calls).toEqual([
      [FILES[0], 'original'],
      [FILES[1], 'original'],
    ]);
  });

  it.each([
    ['a.jpg', true, ['Place', 'Place in web size']],
    ['a.pdf', true, ['Place', 'Place in web size']],
    ['a.mp4', true, ['Place']],
    ['a.jpg', false, []],
  ])('%s in an app that can place (%s) has the buttons %j', async (name, canPlace, buttons) => {
    fixture.placing.set({ ...fixture.placing.get(), canPlace });
    const file = libraryFile(name);
    await show({ files: [file] });
    tiles()[0]?.click();
    await fixture.drawn();
    await fixture.click('Details');
    expect(fixture.buttons().filter((label) => label.startsWith('Place'))).toEqual(buttons);
    for (const label of buttons) await fixture.click(label);
    const sizes = buttons.map((label) => (label === 'Place' ? 'original' : 'web'));
    expect(fixture.actions.placeFile.mock.calls).toEqual(sizes.map((size) => [file, size]));
  });

  it.each([
    [230, 0],
    [276, 0],
    [300, 1],
    [480, 1],
  ])('has a large picture in a panel of %d px: %d', async (width, loads) => {
    const large = new Observable<string | null>(null);
    fixture.loadPreview.mockReturnValue(new Promise((resolve) => large.subscribe(resolve)));
    fixture.uploadPicture = 'data:image/jpeg;base64,c21hbGw=';
    await show({ files: [libraryFile('a.jpg', { width: 600, height: 400 })] });
    const lay = (): void => {
      Object.defineProperty(scroller(), 'clientWidth', { value: width });
    };
    lay();
    tiles()[0]?.click();
    await fixture.drawn();
    await fixture.click('Details');
    const picture = (): HTMLImageElement | null => fixture.page.querySelector('.file-picture img');
    const side = loads === 0 ? Math.min(240, width - 24) : width - 24;
    expect(picture()?.style.width).toBe(`${side}px`);
    expect(picture()?.src).toBe(fixture.uploadPicture);
    expect(fixture.loadPreview.mock.calls).toHaveLength(loads);
    const [, signal] = fixture.loadPreview.mock.calls[0] ?? [];
    large.set('data:image/jpeg;base64,bGFyZ2U=');
    await fixture.drawn();
    const shown = loads === 0 ? fixture.uploadPicture : 'data:image/jpeg;base64,bGFyZ2U=';
    expect(picture()?.src).toBe(shown);
    expect(picture()?.style.width).toBe(`${side}px`);
    // It is loaded again when the file is shown again, and has the small size where there is none.
    fixture.loadPreview.mockReturnValue(Promise.resolve(null));
    await fixture.click('Back');
    expect(signal?.cancelled ?? true).toBe(true);
    lay();
    tiles()[0]?.click();
    await fixture.drawn();
    expect(fixture.loadPreview.mock.calls).toHaveLength(2 * loads);
    expect(picture()?.style.width).toBe(`${Math.min(240, width - 24)}px`);
    expect(picture()?.src).toBe(fixture.uploadPicture);
  });

  it('is opened as a document in an app that can', async () => {
    const file = libraryFile('a.psd');
    await show({ files: [file] });
    tiles()[0]?.click();
    await fixture.drawn();
    await fixture.click('Details');
    expect(fixture.buttons()).not.toContain('Open as a document');
    fixture.placing.set({ ...fixture.placing.get(), canOpen: true });
    await fixture.drawn();
    await fixture.click('Open as a document');
    expect(fixture.actions.openFile.mock.calls).toEqual([[file]]);
  });

  it('has the folder it goes into, once there is one, and another one by a press', async () => {
    await show({ files: [libraryFile('a.psd')] });
    tiles()[0]?.click();
    await fixture.drawn();
    await fixture.click('Details');
    const folder = (): HTMLElement | null => fixture.page.querySelector('.choice');
    expect(folder()).toBeNull();
    fixture.placing.set({ ...fixture.placing.get(), folder: 'Links' });
    await fixture.drawn();
    expect(folder()?.textContent).toBe('Saved inLinks');
    folder()?.click();
    await fixture.drawn();
    expect(fixture.actions.choosePlacingFolder.mock.calls).toHaveLength(1);
  });

  it('is shown in detail by a second press, and again in the list', async () => {
    await show({
      files: [
        libraryFile('Poster.psd', {
          version: 2,
          project: { id: 'p1', name: 'Wedding' },
          sender: 'Anna',
          capturedAt: new Date(2026, 10, 21).getTime(),
          uploadedAt: new Date(2026, 10, 22).getTime(),
          approval: { version: 1, isCurrent: false, by: 'Mia' },
          comments: 2,
        }),
      ],
    });
    tiles()[0]?.click();
    await fixture.clock.advance(600);
    tiles()[0]?.click();
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining([
        ...[
          'Poster.psd',
          '6000 × 4000 · 24.3\u00a0MB',
          'PSD',
          'v2',
          'Approved v1 · Mia',
          '2 comments',
        ],
        ...['Wedding', 'Anna', 'Nov 21, 2026', 'Nov 22, 2026'],
      ]),
    );
    await fixture.click('Open in browser');
    expect(fixture.actions.openPage.mock.calls).toEqual([
      ['https://service.example/photos/Poster.psd'],
    ]);
    await fixture.click('Back');
    await fixture.drawn();
    expect(chosen()).toEqual(['Poster.psd']);
  });

  it('stays in its details when it leaves the list', async () => {
    await show({ files: FILES });
    tiles()[0]?.click();
    await fixture.drawn();
    await fixture.click('Details');
    await change({ files: [] });
    expect(fixture.read()).toContain('a.jpg');
  });
});

describe('the keyboard', () => {
  it('moves in the list', async () => {
    await show({ files: libraryFiles(40) });
    const names: unknown[] = [];
    for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'End', 'Home']) {
      await press(key);
      names.push(chosen()[0]);
    }
    expect(names).toEqual(['f0.jpg', 'f1.jpg', 'f2.jpg', 'f1.jpg', 'f39.jpg', 'f0.jpg']);
    expect(document.activeElement).toBe(fixture.page.querySelector('.tile.chosen'));
  });

  it('moves between rows to the nearest file, and back', async () => {
    await show({ files: Array.from({ length: 40 }, (_, at) => libraryFile(`f${at}.jpg`)) });
    await press('Home');
    const names: unknown[] = [];
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowUp', 'PageDown', 'PageUp']) {
      await press(key);
      names.push(chosen()[0]);
    }
    // Two in a row of the narrowest panel, three rows on a screen.
    expect(names).toEqual(['f2.jpg', 'f3.jpg', 'f1.jpg', 'f1.jpg', 'f9.jpg', 'f1.jpg']);
  });

  it.each(['a', 'Tab', 'Enter', 'F5'])('leaves %s to the app', async (key) => {
    await show({ files: libraryFiles(3) });
    expect(await press(key)).toBe(false);
    expect(chosen()).toEqual([]);
  });

  it('shows details with Enter, goes back and closes with Escape', async () => {
    await show({ files: libraryFiles(3) });
    await press('Home');
    await press('Enter', '.tile.chosen');
    expect(fixture.read()).toContain('Details');
    await press('Escape', '.sheet');
    expect(chosen()).toEqual(['f0.jpg']);
    await press('Escape', '.library');
    expect(fixture.buttons()).toContain('Browse files');
  });

  it('clears the search with Escape before it closes the files', async () => {
    await show({ query: { ...FIRST_QUERY, text: 'har' } });
    await press('Escape', '.library');
    expect(fixture.actions.changeLibrary.mock.calls).toEqual([[{ text: '' }]]);
    expect(fixture.buttons()).toContain('Done');
  });
});

describe('ten thousand files', () => {
  it('have few rows in the page, and few pictures, wherever they are scrolled to', async () => {
    await show({ files: libraryFiles(10_000), hasMore: false });
    for (const y of [0, 50_000, 200_000, 1e9, 0]) {
      await scrollTo(y);
      expect(tiles().length).toBeGreaterThan(1);
      expect(tiles().length).toBeLessThan(24);
      expect(fixture.heldPictures).toHaveLength(tiles().length);
    }
  });

  it('draw only the tiles in view per step', async () => {
    await show({ files: libraryFiles(10_000) });
    fixture.drawnPictures = 0;
    await fixture.clock.advance(1_000);
    expect(fixture.drawnPictures).toBe(0);
    for (let step = 1; step <= 20; step += 1) {
      await scrollTo(step * 60);
    }
    expect(fixture.drawnPictures / 20).toBeLessThan(30);
  });

  it.each([
    [{ hasMore: true }, 0, 1],
    [{ hasMore: false }, 0, 0],
    [{ hasMore: true, isLoading: true }, 0, 0],
    [{ hasMore: true, error: new CwError('CW-303', 'x') }, 0, 0],
  ])(
    'of which %j is loaded, near the end request %d, then %d pages',
    async (more, before, after) => {
      await show({ files: libraryFiles(400), ...more });
      expect(fixture.actions.loadMoreFiles.mock.calls).toHaveLength(before);
      await scrollTo(1e9);
      expect(fixture.actions.loadMoreFiles.mock.calls.length > 0).toBe(after > 0);
    },
  );
});
