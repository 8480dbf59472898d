import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { denyDevice } from '../service/support/browser-client.js';
import { sequentialTest } from '../support/sequential-test.js';
import { CleanUp } from './clean-up.js';
import { startProduct, type RunningProduct } from './running-product.js';
import { PanelPerson } from './panel-user.js';
import { POLLING_MS } from './patience.js';
import { watchButtons } from './watched-buttons.js';

/**
 * Every button of the panel is pressed in the preview, the real bundle against the real service, and what comes of it is
 * looked at. The page lists its buttons: a new one that nothing here presses fails the last test.
 */
describe('every button of the panel', () => {
  const cleanUp = new CleanUp();
  let product: RunningProduct;
  let person: PanelPerson;

  beforeAll(async () => {
    product = await startProduct('every-button', cleanUp);
    person = await PanelPerson.open(product);
    await person.panel.evaluate(watchButtons);
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  const step = sequentialTest('does what its label promises, and is pressed');

  step('shows the numbers to choose from, and names this computer', async () => {
    const numbers = { error: 'authorization_pending', number_choices: ['17', '42', '86'] };
    const refusal = { error: 'access_denied', reason: 'wrong_number' };
    const answerPolls = (answer: object): void => {
      person.between = (url) => (url.endsWith('/oauth/token') ? { ...answer } : undefined);
    };
    await (await person.panel.waitForSelector('.computer-line', { visible: true }))?.click();
    await person.read('This name appears under Connected apps in the browser.');
    await person.press('Cancel', '.sheet');
    await person.press('Connect');
    for (const choice of ['42', 'None of these']) {
      answerPolls(numbers);
      await person.read('Which number does the browser show?');
      await person.press(choice);
      answerPolls(refusal);
      await person.read('CW-107');
      await person.press('Get a new code');
    }
    person.between = () => undefined;
    await person.read('Your code');
    await person.press('Cancel');
    await person.read('Connect once.');
  });

  step(
    'connects: Connect, Cancel, Open browser, the copies, Spell it out, Show QR code, Get a new code, Check now',
    async () => {
      person.between = (url) => (url.endsWith('/device_authorization') ? 'hold' : undefined);
      await person.press('Connect');
      await person.read('Getting a code');
      await person.press('Cancel');
      await person.read('Connect once.');
      person.between = () => undefined;

      await person.opensPage(() => person.press('Connect'));
      await person.read('Your code');
      const first = await person.code();
      await person.press('Copy code');
      expect(await person.copied()).toBe(first);
      await person.gone('Copied');
      await person.press('Trouble opening the page?');
      await person.press('Copy address');
      expect(await person.copied()).toContain(`${product.service.baseUrl}/oauth/device`);
      await person.press('Spell it out');
      await person.read(' as in ');
      await person.press('Spell it out');
      await person.gone(' as in ');
      await person.press('Show QR code');
      await person.panel.waitForSelector('.qr', { visible: true });
      await person.opensPage(() => person.press('Open browser'));
      await person.press('Get a new code');
      await person.panel.waitForFunction(
        (before) => document.getElementById('user-code')?.textContent.trim() !== before,
        {},
        first,
      );
      person.between = (url) => (url.endsWith('/oauth/token') ? 503 : undefined);
      await person.read('The plugin keeps trying. Your code stays valid.');
      person.between = () => undefined;
      await person.press('Check now');
      await person.gone('The plugin keeps trying. Your code stays valid.');
      await person.read('Waiting for you to choose Allow');
      await person.press('Cancel');
      await person.read('Connect once.');
      await person.connect();
    },
  );

  step('renames this computer', async () => {
    await person.pick('Account menu', 'This computer…');
    await (await person.panel.$('.sheet sp-textfield'))?.click({ count: 3 });
    await person.page.keyboard.type('Studio laptop');
    await person.press('Save', '.sheet');
    await person.gone('Connected apps in the browser');
    await person.pick('Account menu', 'This computer…');
    await person.read('Connected apps in the browser');
    expect(
      await person.panel.$eval(
        '.sheet sp-textfield',
        (field) => Reflect.get(field, 'value') as unknown,
      ),
    ).toBe('Studio laptop');
    await person.press('Cancel', '.sheet');
  });

  step('uploads the document with the chosen preset, and reports when there is none', async () => {
    await person.press('Upload this document');
    await person.arrives('Lake at dusk.jpg');
    await person.uploaded(1);
    await person.pick('Print', 'Web');
    // The button uploads with the preset that it shows.
    await person.gone('Print');
    await person.press('Upload this document');
    await person.arrives('Lake at dusk-web.jpg');
    await person.uploaded(2);
    await person.page.evaluate(() => {
      const app = Object.assign(window, { kept: window.exportOpenDocument });
      delete app.exportOpenDocument;
    });
    await person.press('Upload this document');
    await person.read('CW-803');
    await person.press('Dismiss');
    await person.gone('CW-803');
    await person.page.evaluate(() => {
      Object.assign(window, { exportOpenDocument: Reflect.get(window, 'kept') as unknown });
    });
  });

  step('edits presets: New preset, Duplicate, Delete, Reset, and every choice', async () => {
    await person.pick('Web', 'Edit presets…');
    await person.press('WebJPEG · 2048\u00a0px', '.sheet');
    await person.pick('Quality10', '8', '.sheet');
    await person.pick('Quality8', '12 (best)', '.sheet');
    await person.pick('ColorsRGB', 'As in the document', '.sheet');
    await person.pick('ColorAs in the document', 'sRGB', '.sheet');
    await person.press('SelectedRemove location', '.sheet');
    await person.press('Only what the client approved', '.sheet');
    await person.press('{date}', '.sheet');
    await person.read('Lake at dusk-web');
    await person.press('Save', '.sheet');
    await person.press('WebJPEG · 2048\u00a0px · if approved', '.sheet');
    await person.press('Reset', '.sheet');
    await person.press('OriginalPSD', '.sheet');
    await person.press('Cancel', '.sheet');
    await person.press('New preset', '.sheet');
    await person.pick('FormatJPEG', 'TIFF', '.sheet');
    await person.pick('Bit depth8 bit', '16 bit', '.sheet');
    await (await person.panel.$('.sheet sp-textfield'))?.click();
    await person.page.keyboard.type('Instagram');
    await person.press('Save', '.sheet');
    await person.press('InstagramTIFF · 2048\u00a0px · 16 bit', '.sheet');
    await person.press('Duplicate', '.sheet');
    await person.press('Cancel', '.sheet');
    await person.press('InstagramTIFF · 2048\u00a0px · 16 bit', '.sheet');
    await person.press('Delete', '.sheet');
    await person.press('Cancel', '.sheet .buttons');
    await person.press('Delete', '.sheet');
    await person.press('Delete this preset', '.sheet');
    await person.press('Done', '.sheet');
  });

  step('uploads all open documents and artboards, stops that, and lists failures', async () => {
    await person.pick('Web', 'All open documents…');
    await person.press('Cancel', '.sheet');
    await person.pick('Web', 'All open documents…');
    await person.pick('PresetWeb', 'Print', '.sheet');
    await person.press('SelectedLake at dusk.psd', '.sheet');
    await person.press('ToNo project', '.sheet');
    await person.panel.waitForSelector('.popover');
    await person.page.keyboard.press('Escape');
    await person.press('Upload 2 documents', '.sheet');
    await person.arrives('Lake in black and white.jpg');
    await person.arrives('Lake in summer.jpg');

    await person.page.evaluate(() => {
      const { exportOpenDocument } = window;
      Object.assign(window, { kept: exportOpenDocument });
      window.exportOpenDocument = (settings, target) =>
        new Promise((resolve) => {
          Object.assign(window, {
            release: () => {
              resolve(exportOpenDocument?.(settings, target) ?? null);
            },
          });
        });
    });
    await person.pick('Print', 'Artboards…');
    await person.press('Upload 2 artboards', '.sheet');
    await person.read('Exporting 1 of 2');
    await person.press('Cancel', '.adding');
    await person.gone('Exporting');
    await person.page.evaluate(() => {
      (Reflect.get(window, 'release') as () => void)();
      window.exportOpenDocument = () => Promise.resolve(null);
    });
    await person.arrives('Lake at dusk – Lake.jpg');
    await person.pick('Print', 'Artboards…');
    await person.press('Upload 2 artboards', '.sheet');
    await person.read('2 documents were not uploaded');
    await person.press('Dismiss', '.notice');
    await person.gone('were not uploaded');
    expect((await person.arrived()).some(({ name }) => name.includes('Shore'))).toBe(false);
    await person.uploadedAll();
    await person.pick('List options', 'Clear uploaded');
  });

  step(
    'refuses what is empty, holds back what is no photo, and sends it anyway when told to',
    async () => {
      await person.choose([await person.file('empty.jpg', '')]);
      await person.press('1 file needs attention');
      await person.read('CW-601');
      await person.press('Dismiss');
      await person.gone('CW-601');

      await person.choose([
        await person.file('one.jpg', 'a text'),
        await person.file('two.jpg', 'another'),
      ]);
      await person.read('2 files need attention');
      await person.pick('Options', 'Upload anyway', '.photo');
      await person.arrives('one.jpg');
      expect((await person.arrived()).some(({ name }) => name === 'two.jpg')).toBe(false);
      await person.press('1 file needs attention');
      await person.press('Upload anyway', '.reason');
      await person.arrives('two.jpg');

      await person.choose([await person.file('three.jpg', 'a third')]);
      await person.lists('three.jpg');
      await person.press('1 file needs attention');
      await person.press('Remove', '.reason');
      await person.lists('three.jpg', false);
      await person.press('Undo');
      await person.lists('three.jpg');
      await person.pick('Options', 'Remove', '.photo');
      await person.lists('three.jpg', false);
      await person.pick('List options', 'Clear uploaded');
      await person.lists('two.jpg', false);
    },
  );

  step('sets aside what the service holds already: Skip, Upload again', async () => {
    const paths = await person.photos('twice.jpg', 'thrice.jpg', 'often.jpg');
    await person.choose(paths);
    for (const name of ['twice.jpg', 'thrice.jpg', 'often.jpg']) await person.arrives(name);
    await person.uploadedAll();
    await person.pick('List options', 'Clear uploaded');
    await person.choose(paths);
    await person.read('3 files are already uploaded');
    await person.pick('Options', 'Upload again', '.photo');
    await person.read('2 files are already uploaded');
    await person.press('Upload again', '.notice');
    await person.gone('already uploaded.');
    await person.uploaded(3);
    await person.pick('List options', 'Clear uploaded');
    await person.choose(paths.slice(0, 1));
    await person.read('1 file is already uploaded');
    await person.press('Skip', '.notice');
    await person.gone('already uploaded.');
  });

  step('browses the files of the workspace: search, filters, orders and details', async () => {
    await person.press('Browse files');
    await person.read('To see your files here');
    await person.opensPage(() => person.press('Open browser', '.library'));
    await person.allow();
    const shows = (names: readonly string[]): Promise<unknown> =>
      person.panel.waitForFunction(
        (wanted) =>
          [...document.querySelectorAll('.tile-name')]
            .map(({ textContent }) => textContent)
            .join() === wanted,
        { polling: POLLING_MS },
        names.join(),
      );
    await person.panel.waitForSelector('.tile');
    await (await person.panel.$('.library sp-textfield'))?.click();
    await person.page.keyboard.type('summer');
    await shows(['Lake in summer.jpg']);
    for (const entry of ['Documents', 'Videos', 'Other']) {
      await person.pick('Type', entry, '.library');
      await person.press('Clear filters', '.library');
      await person.gone('Clear filters');
    }
    await person.pick('Type', 'Pictures', '.library');
    await person.pick('Pictures', 'All types', '.library');
    await person.pick('Project', 'All projects', '.library');
    await person.press('Approved', '.library');
    await person.press('ApprovedSelected', '.library');
    await (await person.panel.$('.library sp-textfield'))?.click({ count: 3 });
    await person.page.keyboard.type('lake in');
    const orders = [
      ...['Capture time, newest first', 'Capture time, oldest first'],
      ...['Upload time, newest first', 'Upload time, oldest first', 'Name, A to Z'],
    ];
    for (const order of orders) await person.pick('Sort', order, '.library');
    await shows(['Lake in black and white.jpg', 'Lake in summer.jpg']);
    await person.pick('Sort', 'Name, Z to A', '.library');
    await shows(['Lake in summer.jpg', 'Lake in black and white.jpg']);
    await person.press('Lake in summer.jpg', '.library');
    await person.press('Details', '.library-bar');
    await person.read('Uploaded by');
    await person.opensPage(() => person.press('Open in browser', '.sheet'), '/photos/');
    await person.press('Back', '.sheet');
    await person.pick('My files', 'My files', '.library');
    await person.pick('My files', 'Everyone’s files', '.library');
    await person.read('To see files of others');
    await person.opensPage(() => person.press('Open browser', '.library'));
    await person.allow();
    await person.panel.waitForSelector('.tile');
    person.between = (url) => (url.includes('/api/v1/photos') ? 500 : undefined);
    await (await person.panel.$('.library sp-textfield'))?.click();
    await person.page.keyboard.type('summer');
    await person.read('CW-303');
    person.between = () => undefined;
    await person.press('Try again', '.library');
    await shows(['Lake in summer.jpg']);
    await person.press('Done', '.library');
    await person.gone('Everyone');
  });

  step('places files, updates them, and recognises files placed another way', async () => {
    const pictures = (): Promise<string[]> =>
      person.page.$$eval('#placed figure', (found) => found.map(({ title }) => title));
    const placed = (count: number): Promise<unknown> =>
      person.page.waitForFunction(
        (wanted) => document.querySelectorAll('#placed figure').length === wanted,
        { polling: POLLING_MS },
        count,
      );
    await person.press('Browse files');
    await (await person.panel.waitForSelector('.library sp-textfield'))?.click({ count: 3 });
    await person.page.keyboard.type('dusk.jpg');
    await person.press('Lake at dusk.jpg', '.library');
    const isContent = (url: string): boolean => url.endsWith('/content');
    person.between = (url) => (isContent(url) ? 'hold' : undefined);
    await person.press('Place', '.library-bar');
    await person.press('Cancel', '.progress-part');
    person.between = (url) => (isContent(url) ? 404 : undefined);
    await person.press('Place', '.library-bar');
    await person.read('Lake at dusk.jpg was not placed');
    await person.press('Dismiss', '.notice');
    person.between = () => undefined;
    await person.press('Place', '.library-bar');
    await placed(1);
    await person.press('Details', '.library-bar');
    await person.press('Saved inPictures', '.sheet');
    await person.press('Place in web size', '.sheet');
    await placed(2);
    await person.press('Place', '.sheet');
    await placed(3);
    await person.press('Back', '.sheet');
    await person.press('Done', '.library');
    expect(await pictures()).toEqual([
      'Lake at dusk.jpg: present',
      'Lake at dusk (web).jpg: present',
      'Lake at dusk.jpg: present',
    ]);

    await person.page.evaluate(() => {
      Object.assign(window, { exportOpenDocument: Reflect.get(window, 'kept') as unknown });
    });
    await person.page.click('#edit');
    await person.press('Upload this document');
    await person.read('Version 2 of Lake at dusk.jpg');
    await person.uploadedAll();
    await person.press('3 placed files');
    await person.read('Newer version');
    await person.press('Use original', '.sheet');
    await person.read('1 file updated');
    await person.press('Dismiss', '.notice');
    expect((await pictures()).filter((title) => title.includes('web'))).toEqual([]);
    await person.press('Update', '.sheet');
    await person.read('1 file updated');
    await person.press('Only approved', '.sheet');
    await person.gone('Update all');
    await person.press('SelectedOnly approved', '.sheet');
    await person.press('Update all', '.sheet');
    await person.press('Cancel', '.sheet');
    await person.press('Update all', '.sheet');
    await person.press('Update 2 files', '.sheet');
    await person.read('2 files updated');
    await person.gone('Newer version');

    await person.page.click('#links');
    await placed(9);
    await person.press('Check now', '.sheet');
    for (const state of [
      'From another service',
      'Not available to you',
      'Changed on this computer',
    ]) {
      await person.read(state);
    }
    await person.press('Find in workspace', '.sheet');
    await person.read('1 of them is not in the workspace');
    await person.press('Done', '.sheet');
    await person.read('1 missing');
    await person.pick('List options', 'Clear uploaded');
  });

  step('pauses, changes the order, removes and goes on', async () => {
    person.between = (url, method) => (isUpload(url) && method === 'POST' ? 'hold' : undefined);
    await person.choose(await person.photos('first.jpg', 'second.jpg', 'third.jpg'));
    await person.lists('third.jpg');
    await person.press('Pause');
    await person.read('Paused');
    person.between = () => undefined;
    await person.pick('List options', 'Remove all');
    await person.lists('third.jpg', false);
    await person.press('Undo');
    await person.lists('third.jpg');
    await person.panel.waitForFunction(
      () => document.querySelector('.photo-name')?.textContent === 'first.jpg',
    );
    await person.pick('Options', 'Upload next', '.photo:nth-child(2)');
    await person.panel.waitForFunction(
      () => document.querySelector('.photo-name')?.textContent === 'second.jpg',
    );
    await person.pick('Options', 'Remove', '.photo');
    await person.panel.waitForFunction(
      () => document.querySelector('.photo-name')?.textContent === 'first.jpg',
    );
    expect(await person.listed()).not.toContain('second.jpg');
    await person.press('Resume');
    await person.arrives('first.jpg');
    await person.arrives('third.jpg');
    expect((await person.arrived()).some(({ name }) => name === 'second.jpg')).toBe(false);
  });

  step('tries again what was refused, and what found no connection', async () => {
    person.between = (url, method) => (isUpload(url) && method === 'POST' ? 400 : undefined);
    await person.choose(await person.photos('refused.jpg', 'refused too.jpg'));
    await person.read('2 files need attention');
    person.between = () => undefined;
    await person.pick('Options', 'Retry', '.photo');
    await person.arrives('refused.jpg');
    await person.press('1 file needs attention');
    await person.press('Retry', '.reason');
    await person.arrives('refused too.jpg');

    person.between = (url) => (isUpload(url) ? 'abort' : undefined);
    await person.choose(await person.photos('offline.jpg'));
    await person.read('No connection');
    person.between = () => undefined;
    await person.press('Try now');
    await person.arrives('offline.jpg');
  });

  step('remembers what arrived: found by name, copied, shown in the browser, cleared', async () => {
    await person.uploadedAll();
    await person.pick('List options', 'Clear uploaded');
    await person.press(`${(await person.arrived()).length} earlier uploads`);
    await (await person.panel.$('sp-textfield'))?.click();
    await person.page.keyboard.type('REFUSED');
    await person.panel.waitForFunction(
      () => document.querySelectorAll('.earlier .photo').length === 2,
    );
    await person.press('Copy list', '.earlier');
    const receipt = await person.copied();
    expect(receipt).toContain('Uploaded files: 2 files');
    expect(receipt).toContain('refused too.jpg');
    await person.gone('Copied');
    await person.pick('Options', 'Copy link', '.earlier .photo');
    const link = await person.copied();
    await person.pick('Options', 'Save receipt', '.earlier .photo');
    await person.read('Receipt saved');
    expect(
      (await person.arrived()).map(({ id }) => `${product.service.baseUrl}/photos/${id}`),
    ).toContain(link);
    await person.opensPage(
      () => person.pick('Options', 'Open in browser', '.earlier .photo'),
      new URL(link).pathname,
    );
    await person.opensPage(() => person.press('Files in browser'), '/photos');
    await person.opensPage(() => person.pick('Account menu', 'Files in browser'), '/photos');
    await person.press('Select', '.earlier');
    await person.press('Cancel', '.progress-part');
    await person.press('Clear list', '.earlier');
    await person.gone('Clear list');
  });

  step('gets a comment of a client', async () => {
    await product.service.database.query(
      `INSERT INTO share_answers (id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, comment,
                                  pin_x, pin_y, created_at)
       SELECT 'spot', photo_id, 'comment', 'mia', 'Mia', id, 1, sha256, 'Darker, please', 0.25, 0.75, now()
         FROM uploads WHERE name = 'Lake at dusk.jpg' ORDER BY created_at DESC LIMIT 1`,
      [],
    );
  });

  step('makes a version a separate file: Undo, Dismiss, Make separate file', async () => {
    const [path = ''] = await person.photos('version.jpg');
    const picture = await readFile(path);
    const addEdit = async (edit: number): Promise<void> => {
      await writeFile(path, edited(picture, edit));
      await person.choose([path]);
    };
    await addEdit(1);
    await person.arrives('version.jpg');
    await person.uploadedAll();
    await addEdit(2);
    await person.read('Version 2 of version.jpg');
    await person.press('Undo', '.notice');
    await person.gone('Version 2 of version.jpg');
    await addEdit(3);
    await person.read('Version 2 of version.jpg');
    await person.press('Dismiss', '.notice');
    await person.panel.waitForFunction(() => document.querySelector('.notice') === null);
    // The row still names it.
    await person.read('Version 2 of version.jpg');
    await person.uploadedAll();
    await person.pick('Options', 'Make separate file', '.photo:nth-child(3)');
    await person.gone('Version 2 of version.jpg');
    await person.pick('List options', 'Clear uploaded');
  });

  step('stops adding', async () => {
    // As long as this goes on, nothing else is written into the store of copies.
    await person.panel.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const opening = indexedDB.open('creative-workspace-spool');
          opening.onerror = () => {
            reject(new Error('the store cannot be opened'));
          };
          opening.onsuccess = () => {
            const store = opening.result.transaction('values', 'readwrite').objectStore('values');
            const hold = (): void => {
              if (document.body.dataset['released'] === undefined) store.count().onsuccess = hold;
            };
            hold();
            resolve();
          };
        }),
    );
    await person.choose(await person.photos('unwanted.jpg', 'unwanted too.jpg'));
    await person.read('Adding file 1 of 2');
    await person.press('Cancel');
    await person.gone('Adding file');
    await person.panel.evaluate(() => {
      document.body.dataset['released'] = 'true';
    });
    expect(await person.listed()).not.toContain('unwanted too.jpg');
  });

  step('shows after Disconnect what can be done with the photos: Upload, Remove', async () => {
    for (const [name, answer] of [
      ['wanted.jpg', 'Upload'],
      ['no longer.jpg', 'Remove'],
    ] as const) {
      person.between = (url, method) => (isUpload(url) && method === 'POST' ? 'hold' : undefined);
      await person.choose(await person.photos(name));
      await person.lists(name);
      await person.pick('Account menu', 'Disconnect');
      await person.press('Cancel', '.notice');
      await person.lists(name);
      await person.pick('Account menu', 'Disconnect');
      await person.press('Disconnect', '.notice');
      person.between = () => undefined;
      await person.connect();
      await person.read('under an earlier connection');
      await person.press(answer, '.notice');
      await person.gone('under an earlier connection');
      if (answer === 'Upload') await person.arrives(name);
      else expect(await person.listed()).not.toContain(name);
    }
    expect((await person.arrived()).some(({ name }) => name === 'no longer.jpg')).toBe(false);
  });

  step('goes to another account, and stays where it was when that comes to nothing', async () => {
    await person.pick('Account menu', 'Use another account');
    await person.read('Your code');
    await person.read('You stay connected as');
    await person.press('Cancel');
    await person.read('Add photos');
    await person.pick('Account menu', 'Use another account');
    await person.read('Your code');
    await person.page.bringToFront();
    await denyDevice(product.service.baseUrl, await person.code(), product.service.demo);
    await person.press('Get a new code', '.notice');
    await person.read('Your code');
    await person.page.bringToFront();
    await denyDevice(product.service.baseUrl, await person.code(), product.service.demo);
    await person.press('Dismiss', '.notice');
    await person.read('Add photos');
  });

  step('chooses a project and shares photos, after the permissions for both', async () => {
    await person.press('ToNo project');
    await person.press('Open browser', '.popover');
    await person.allow();
    // The list opens again by itself.
    await person.press('New project…', '.popover');
    await (await person.panel.waitForSelector('.popover sp-textfield'))?.click();
    await person.page.keyboard.type('Weddings');
    await person.press('Create “Weddings”', '.popover');
    await person.press('ToWeddings');
    await person.press('No project', '.popover');
    await person.press('ToNo project');
    await person.press('Weddings', '.popover');
    await person.choose(await person.photos('for the client.jpg', 'for the press.jpg'));
    await person.read('uploaded to Weddings');

    await person.press('Share', '.progress-part');
    await person.press('Open browser', '.sheet');
    await person.allow();
    await person.pick('Expires after 30 days', 'Expires after 7 days');
    await person.press('Create link', '.sheet');
    await person.read('Link copied');
    await person.press('Copy link', '.share-link');
    expect(await person.copied()).toMatch(/\/s\//);
    await person.press('Revoke', '.share-link');
    await person.press('Cancel', '.share-link');
    await person.press('Revoke', '.share-link');
    await person.press('Revoke this link', '.share-link');
    await person.gone('Existing links');
    await person.press('Done', '.sheet');
    await person.press('Share', '.top');
    await person.press('Done', '.sheet');

    await person.press('Copy link', '.progress-part');
    expect(await person.copied()).toMatch(/\/s\//);
    await person.pick('List options', 'Save receipt');
    await person.read('Receipt saved');
    await person.pick('List options', 'Share');
    await person.press('Done', '.sheet');
    await person.pick('List options', 'Select');
    await person.panel.locator('.photo.selectable').click();
    await person.read('1 file selected');
    await person.press('Share', '.progress-part');
    await person.press('Done', '.sheet');
    await person.pick('List options', 'Select');
    await person.press('Cancel', '.progress-part');
    await person.pick('Options', 'Share', '.photo');
    await person.press('Done', '.sheet');
  });

  step('watches a folder, and writes the selects of clients into its files', async () => {
    await person.pick('Account menu', 'Automatic uploads');
    await person.press('Choose folder', '.sheet');
    await person.press('ToWeddings', '.sheet');
    await person.press('No project', '.popover');
    await person.press('Move uploaded files into “Uploaded”', '.sheet');
    await person.press('Stop watching', '.sheet');
    await person.press('Choose folder', '.sheet');
    await person.press('Stop watching', '.sheet');
    await person.press('Done', '.sheet');

    await person.pick('Account menu', 'Get selects');
    await person.read('To get selects of clients');
    await person.press('Open browser', '.sheet');
    await person.allow();
    await person.press('FolderChoose folder', '.sheet');
    await person.press('LinkChoose link', '.sheet');
    await person.panel.locator('.popover .control').click();
    await person.press('Replace my ratings and labels', '.sheet');
    await person.press('Write into the files', '.sheet');
    await person.press('Preview changes', '.sheet');
    await person.read('Clients have chosen nothing through this link yet.');
    await person.press('Get selects', '.sheet');
    await person.read('Clients have chosen nothing through this link yet.');
    await person.press('Done', '.sheet');
  });

  step('shows comments in the document, and takes them out again', async () => {
    const marks = (): Promise<string[]> =>
      person.page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('.comment-mark')].map(
          ({ textContent, style, className }) =>
            [textContent, style.left, style.top, className].join(' '),
        ),
      );
    await (await person.panel.waitForSelector('.comments-line'))?.click();
    await person.read('Darker, please');
    await person.press('Show in document', '.sheet');
    await person.read('1 comment in the document');
    expect(await marks()).toEqual(['1 25% 75% comment-mark']);
    await person.press('Spot', '.sheet');
    await person.page.waitForSelector('.comment-mark.pointed');
    await person.press('Mark as done', '.sheet');
    await person.read('To work with comments');
    await person.press('Open browser', '.sheet');
    await person.allow();
    await person.press('Reopen', '.sheet');
    await person.press('Reply', '.sheet');
    await person.press('Cancel', '.sheet');
    await person.press('Reply', '.sheet');
    await person.page.keyboard.type('Done');
    await person.press('Send', '.sheet');
    await person.press('Remove from document', '.sheet');
    await person.gone('in the document');
    expect(await marks()).toEqual([]);
    await person.press('Done', '.sheet');
  });

  step('helps: Help, Copy diagnostics, Show diagnostics', async () => {
    await person.pick('Account menu', 'Copy diagnostics');
    expect(await person.copied()).toContain('Session: signed-in');
    await person.pick('Account menu', 'Help');
    await person.read('Plugin ');
    await person.gone('Copied');
    await person.press('Copy diagnostics');
    expect(await person.copied()).toContain('Session: signed-in');
    await person.press('Show diagnostics');
    // Selected as it is: the keyboard's own command copies it.
    const selected = await person.panel.$eval(
      '.help textarea',
      ({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd),
    );
    expect(selected).toContain('Session: signed-in');
    await person.press('Hide diagnostics');
    await person.panel.waitForSelector('.help textarea', { hidden: true });
    await person.press('Help', '.footer');
    await person.gone('Plugin ');
  });

  step('has no button that was not pressed', async () => {
    const { seen, unpressed } = await person.panel.evaluate(() => window.buttons());
    expect(seen).toBeGreaterThan(20);
    expect(unpressed).toEqual([]);
  });

  step('shows photos that were found: Upload, Remove', async () => {
    await leaveCopy('0'.repeat(31) + '1');
    await person.reload();
    await person.read('1 file found from an earlier session');
    await person.press('Upload', '.notice');
    await person.arrives('Recovered file 1.jpg');
    await leaveCopy('0'.repeat(31) + '2');
    await person.reload();
    await person.press('Remove', '.notice');
    await person.read('1 file removed');
    expect(await person.listed()).not.toContain('Recovered file');
  });

  step('lists photos that an earlier run could not add: Dismiss', async () => {
    const note = { version: 1, name: 'left.jpg', type: 'image/jpeg', token: null, bytes: null };
    await store('records', `picked-${'3'.repeat(32)}`, JSON.stringify(note));
    await person.reload();
    await person.read('1 file was not added. Add it again.');
    await person.read('left.jpg');
    await person.press('Dismiss', '.notice');
    await person.gone('was not added');
    await person.reload();
    expect(await person.panel.evaluate(() => document.body.innerText)).not.toContain('left.jpg');
  });

  step('adds a photo although storage refused it: Try again', async () => {
    await person.panel.evaluate(() => {
      const { prototype } = IDBDatabase;
      const transaction: unknown = Reflect.get(prototype, 'transaction');
      if (typeof transaction !== 'function') throw new Error('no IndexedDB');
      Object.assign(prototype, {
        transaction(this: IDBDatabase, ...args: unknown[]): unknown {
          const isHeld = document.body.dataset['healed'] === undefined;
          if (isHeld && this.name.endsWith('records')) throw new Error('held by another');
          return transaction.apply(this, args);
        },
      });
    });
    await person.choose(await person.photos('refused by storage.jpg'));
    await person.read('Storage problem on this computer');
    // The plugin tries by itself, too: storage works again from the press on.
    await person.panel.evaluate(() => {
      const heal = (): void => {
        document.body.dataset['healed'] = 'true';
      };
      document.addEventListener('click', heal, { capture: true, once: true });
    });
    await person.press('Try again');
    await person.arrives('refused by storage.jpg');
    await person.gone('Storage problem on this computer');
  });

  /** Puts the copy of a photo into storage that no record names. */
  async function leaveCopy(id: string): Promise<void> {
    await store('spool', id, `\u00ff\u00d8\u00ff${id}`);
  }

  /** Writes into a database of the plugin: a copy with these bytes, or a record. */
  async function store(name: 'spool' | 'records', key: string, text: string): Promise<void> {
    await person.panel.evaluate(
      (database, id, value) =>
        new Promise<void>((resolve, reject) => {
          const opening = indexedDB.open(`creative-workspace-${database}`);
          opening.onerror = () => {
            reject(new Error('the store cannot be opened'));
          };
          opening.onsuccess = () => {
            const transaction = opening.result.transaction('values', 'readwrite');
            const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0));
            transaction
              .objectStore('values')
              .put(database === 'spool' ? new Blob([bytes]) : value, id);
            transaction.oncomplete = () => {
              opening.result.close();
              resolve();
            };
          };
        }),
      name,
      key,
      text,
    );
  }
});

/** A picture with the identity of a document in its XMP, as different edits save it. */
function edited(picture: Buffer, edit: number): Buffer {
  const xmp = `http://ns.adobe.com/xap/1.0/\0<rdf:RDF><rdf:Description xmpMM:DocumentID="xmp.did:version" edit="${edit}"/></rdf:RDF>`;
  const head = Buffer.from(`\xff\xe1\0\0${xmp}`, 'latin1');
  head.writeUInt16BE(xmp.length + 2, 2);
  return Buffer.concat([picture.subarray(0, 2), head, picture.subarray(2)]);
}

function isUpload(url: string): boolean {
  return url.includes('/api/v1/uploads');
}
