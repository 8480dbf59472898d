import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { isExportName } from '../../../src/features/folder/export-name.js';
import { ENDPOINT, UploadFixture } from '../fixture.js';
import { FakeFolder } from './fake-folder.js';

const MINUTE = 60_000;
const AUTUMN = { id: 'autumn', name: 'Autumn' };
const WINTER = { id: 'winter', name: 'Winter' };

let fixture: UploadFixture;
let folder: FakeFolder;

beforeEach(async () => {
  beginPlugin();
  fixture.more = { photoVersions: true, projectDestination: true };
  fixture.project = AUTUMN;
  folder.write('old.jpg', 'was there');
  await fixture.start();
  await fixture.folder.choose();
});

/** A plugin that was never run, beside an empty folder. */
function beginPlugin(): void {
  fixture = new UploadFixture();
  fixture.remembers = true;
  folder = new FakeFolder(fixture.storage, fixture.clock);
  fixture.folders = folder.port;
}

/** Lets time pass while the service answers everything. */
async function pass(ms = MINUTE): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    await fixture.clock.advance(Math.min(left, 1_000));
    await fixture.finishAll();
  }
}

/** Lets time pass in which the plugin is killed after some steps. @returns whether it made fewer */
async function passUntilKilled(steps: number, ms: number): Promise<boolean> {
  const { log } = fixture.storage;
  const before = log.length;
  fixture.storage.dieAfter(steps);
  await pass(ms);
  return log.length - before < steps;
}

const watched = (): NonNullable<ReturnType<typeof fixture.folder.state.get>['folder']> => {
  const found = fixture.folder.state.get().folder;
  if (!found) throw new Error('no folder is watched');
  return found;
};
const uploads = () => fixture.service.finished('anna');

describe('FolderWatch', () => {
  it('uploads what appears after the choice, into the folder’s project', async () => {
    folder.write('Coast.jpg', 'coast');
    await pass();
    expect(fixture.arrived()).toEqual(['coast']);
    expect(uploads().get('coast')).toMatchObject({ project: 'autumn', replaces: 'none' });
    expect(watched()).toMatchObject({
      name: 'Exports',
      takenToday: 1,
      last: { name: 'Coast.jpg' },
      error: null,
    });
    fixture.project = null;
    await fixture.folder.setProject(WINTER);
    folder.write('Dune.jpg', 'dune');
    await pass();
    expect(uploads().get('dune')).toMatchObject({ project: 'winter' });
  });

  it('takes a file when its size and date have stayed the same for two seconds', async () => {
    for (const text of ['c', 'co', 'coa', 'coas']) {
      folder.write('Coast.jpg', text);
      await pass(1_500);
      expect(fixture.arrived()).toEqual([]);
    }
    folder.write('Coast.jpg', 'coast');
    await pass();
    expect(fixture.arrived()).toEqual(['coast']);
  });

  it('does not take it sooner when it looks more often', async () => {
    folder.write('Coast.jpg', 'coast');
    for (let look = 0; look < 20; look += 1) {
      fixture.folder.scheduleScan();
      await fixture.clock.advance(50);
    }
    expect(fixture.list.all).toEqual([]);
  });

  it('does not take a file that is written to while it is copied', async () => {
    folder.onCopy = (name) => {
      folder.onCopy = () => undefined;
      folder.write(name, 'coast, whole');
    };
    folder.write('Coast.jpg', 'coast');
    await pass();
    expect(fixture.arrived()).toEqual(['coast, whole']);
    await fixture.uploads.clearUploaded();
    expect([...fixture.storage.spool.keys()]).toEqual([]);
  });

  it.each([
    ['longer', 'coast, ha', 'coast, whole'],
    ['as long', 'coas,', 'whole'],
  ])(
    'does not take a file that becomes %s while it is copied, whenever the plugin is killed',
    async (_what, half, whole) => {
      for (let steps = 1; ; steps += 1) {
        beginPlugin();
        await fixture.start();
        await fixture.folder.choose();
        folder.onCopy = (name) => {
          folder.onCopy = () => undefined;
          folder.write(name, half);
        };
        folder.write('Coast.jpg', 'coast');
        fixture.folder.scheduleScan();
        const isOver = await passUntilKilled(steps, 5_000);
        folder.onCopy = () => undefined;
        folder.write('Coast.jpg', whole);
        await fixture.start();
        await pass();
        expect([steps, fixture.arrived()]).toEqual([steps, [whole]]);
        await fixture.uploads.clearUploaded();
        expect([...fixture.storage.spool.keys()]).toEqual([]);
        if (isOver) break;
      }
    },
  );

  /** A JPEG without pixels, as far as `isCutShort` reads it. */
  const jpeg = (words: string): Buffer =>
    Buffer.from(`\u00ff\u00d8\u00ff\u00da\0\u0002${words}\u00ff\u00d9`, 'latin1');
  const half = jpeg('coast').subarray(0, -4);

  it('waits for the rest of a file that pauses while it is written, and uploads one version', async () => {
    folder.write('Coast.jpg', half);
    folder.write('Dune.jpg', 'dune');
    await pass(2 * MINUTE);
    expect(fixture.arrived()).toEqual(['dune']);
    expect(watched()).toMatchObject({ waitsFor: 'Coast.jpg', half: null, error: null });
    expect([...fixture.storage.spool.keys()]).toEqual([]);
    folder.write('Coast.jpg', jpeg('coast').subarray(0, -1));
    await pass(2 * MINUTE);
    expect(fixture.arrived()).toEqual(['dune']);
    folder.write('Coast.jpg', jpeg('coast'));
    await pass();
    expect(fixture.arrived()).toHaveLength(2);
    expect(uploads().size).toBe(2);
    expect(watched()).toMatchObject({ waitsFor: null, half: null });
  });

  it('takes half a file as it is after three minutes without a change, and names it until it is whole', async () => {
    let copies = 0;
    folder.onCopy = () => {
      copies += 1;
    };
    folder.write('Coast.jpg', half);
    await pass(3 * MINUTE);
    expect([fixture.arrived(), copies]).toEqual([[], 1]);
    await pass();
    expect(fixture.arrived()).toHaveLength(1);
    expect(copies).toBe(2);
    expect(watched()).toMatchObject({ waitsFor: null, half: 'Coast.jpg', takenToday: 1 });
    folder.write('Coast.jpg', jpeg('coast'));
    await pass();
    expect(fixture.arrived()).toHaveLength(2);
    expect(watched()).toMatchObject({ waitsFor: null, half: null });
  });

  it('forgets half a file that is gone', async () => {
    folder.write('Coast.jpg', half);
    await pass();
    folder.files.delete('Coast.jpg');
    await pass();
    expect(watched()).toMatchObject({ waitsFor: null, half: null });
    expect(fixture.arrived()).toEqual([]);
  });

  it('takes no half of a file, whenever the plugin is killed, and then the whole one', async () => {
    for (let steps = 1; ; steps += 1) {
      beginPlugin();
      await fixture.start();
      await fixture.folder.choose();
      folder.write('Coast.jpg', half);
      fixture.folder.scheduleScan();
      const isOver = await passUntilKilled(steps, 5_000);
      await fixture.start();
      await pass();
      expect([steps, fixture.arrived()]).toEqual([steps, []]);
      folder.write('Coast.jpg', jpeg('coast'));
      await pass();
      expect([steps, fixture.arrived().length]).toEqual([steps, 1]);
      await fixture.uploads.clearUploaded();
      expect([...fixture.storage.spool.keys()]).toEqual([]);
      if (isOver) break;
    }
  });

  it('takes a copy of half a file as it is when the folder is gone after a kill', async () => {
    const outcomes = new Set<string>();
    for (let steps = 1; ; steps += 1) {
      beginPlugin();
      await fixture.start();
      await fixture.folder.choose();
      folder.write('Coast.jpg', half);
      fixture.folder.scheduleScan();
      if (await passUntilKilled(steps, 5_000)) break;
      const copies = fixture.storage.spool.size;
      folder.isGone = true;
      await fixture.start();
      await pass();
      expect([steps, fixture.arrived().length]).toEqual([steps, copies]);
      outcomes.add(String(copies));
    }
    expect(outcomes).toEqual(new Set(['0', '1']));
  });

  it('waits while a file is empty or cannot be read, without delaying the others', async () => {
    folder.write('Empty.jpg', '');
    folder.write('Blocked.jpg', 'locked');
    folder.locked.add('Blocked.jpg');
    folder.write('Coast.jpg', 'coast');
    await pass(2 * MINUTE);
    expect(fixture.arrived()).toEqual(['coast']);
    folder.locked.clear();
    folder.write('Empty.jpg', 'full');
    await pass();
    expect(fixture.arrived().sort()).toEqual(['coast', 'full', 'locked']);
  });

  it.each([
    ['Coast.jpg', true],
    ['Küste 2.TIF', true],
    ['Brochure.pdf', true],
    ['.Coast.jpg', false],
    ['._Coast.jpg', false],
    ['~Coast.jpg', false],
    ['~$Coast.jpg', false],
    ['Coast.jpg~', false],
    ['Coast.jpg.tmp', false],
    ['Coast.tmp.jpg', false],
    ['Coast.jpg.part', false],
    ['Coast.jpg.crdownload', false],
    ['Coast.xmp', false],
    ['Thumbs.db', false],
    ['Coast', false],
  ])('takes %s by its name: %s', (name, isTaken) => {
    expect(isExportName(name)).toBe(isTaken);
  });

  it('uploads a file that was exported again as the next version, in the project of the first', async () => {
    folder.write('Coast.jpg', 'coast');
    await pass();
    await fixture.folder.setProject(WINTER);
    folder.write('Coast.jpg', 'coast 2');
    await pass();
    folder.files.delete('Coast.jpg');
    await pass();
    folder.write('Coast.jpg', 'coast 3');
    await pass();
    expect(fixture.arrived()).toEqual(['coast', 'coast 2', 'coast 3']);
    const [first, ...later] = [...uploads().values()];
    expect(first?.document).toMatch(/^folder:.+#image\/jpeg$/);
    expect(later.map(({ document, project }) => ({ document, project }))).toEqual([
      { document: first?.document, project: 'autumn' },
      { document: first?.document, project: 'autumn' },
    ]);
  });

  it('stores about a file only what it is now, however often it changes', async () => {
    for (const content of ['coast', 'beach', 'shore']) {
      folder.write('Coast.jpg', content);
      await pass();
    }
    expect(fixture.arrived()).toEqual(['coast', 'beach', 'shore']);
    expect(fixture.storage.records.get('folder-file-Coast.jpg')).not.toContain('"was"');
  });

  it('uploads a replaced file that was there before the choice', async () => {
    folder.write('old.jpg', 'replaced');
    await pass();
    expect(fixture.arrived()).toEqual(['replaced']);
  });

  const HOUR = 3_600_000;
  /** Moves the dates of all files, as summer time and sync programs do. */
  function touchAll(change: (modified: number) => number): void {
    for (const [name, { bytes, modified }] of folder.files)
      folder.files.set(name, { bytes, modified: change(modified) });
  }

  it.each<[string, (modified: number) => number]>([
    ['by an hour', (modified) => modified + HOUR],
    ['to now', () => fixture.clock.now()],
  ])('uploads nothing when all dates move %s, and then what changes', async (_how, change) => {
    folder.write('Coast.jpg', 'coast');
    await pass();
    // Once more: now the content of the old files is known.
    for (let times = 0; times < 2; times += 1) {
      touchAll(change);
      await pass();
      await fixture.start();
      await pass();
    }
    expect(fixture.arrived()).toEqual(['coast']);
    expect([...fixture.storage.spool.keys()]).toEqual([]);
    expect(watched().takenToday).toBe(1);
    folder.write('old.jpg', 'WAS THERE');
    folder.write('Coast.jpg', 'COAST');
    await pass();
    expect(fixture.arrived()).toEqual(['coast', 'COAST', 'WAS THERE']);
    const [first, second] = [...uploads().values()];
    expect(second?.document).toBe(first?.document);
  });

  it('reads few of many touched files at each look, before new ones, and goes on after a restart', async () => {
    for (let number = 0; number < 60; number += 1) folder.write(`${number}.jpg`, `${number}`, 1);
    await fixture.folder.stop();
    await fixture.folder.choose();
    touchAll((modified) => modified + HOUR);
    let read = 0;
    let most = 0;
    folder.onCopy = () => {
      read += 1;
    };
    for (let second = 0; second < 300; second += 1) {
      const before = read;
      await pass(1_000);
      most = Math.max(most, read - before);
      if (second === 20) {
        folder.write('New.jpg', 'new');
        await fixture.start();
      }
      if (second === 60) expect(fixture.arrived()).toEqual(['new']);
    }
    expect(fixture.arrived()).toEqual(['new']);
    expect(most).toBeLessThanOrEqual(11);
    // Each of them once, and `old.jpg` and `New.jpg`; the restart may repeat one.
    expect(read).toBeLessThanOrEqual(63);
    expect(read).toBeGreaterThanOrEqual(62);
  });

  it('sends touched files neither twice nor at all, whenever the plugin is killed', async () => {
    for (let steps = 1; ; steps += 1) {
      beginPlugin();
      folder.write('old.jpg', 'was there');
      await fixture.start();
      await fixture.folder.choose();
      folder.write('Coast.jpg', 'coast');
      await pass(12_000);
      touchAll((modified) => modified + HOUR);
      const isOver = await passUntilKilled(steps, 20_000);
      await fixture.start();
      await pass();
      expect([steps, fixture.arrived()]).toEqual([steps, ['coast']]);
      expect(fixture.uploads.state.get().orphans).toBe(0);
      expect([...fixture.storage.spool.keys()]).toEqual([]);
      if (isOver) break;
    }
  });

  it('knows a file by its name in both forms of Unicode', async () => {
    folder.write('Ku\u0308ste.jpg', 'coast');
    await pass();
    folder.rename('Ku\u0308ste.jpg', 'K\u00fcste.jpg');
    touchAll((modified) => modified + HOUR);
    await pass();
    expect(fixture.arrived()).toEqual(['coast']);
    folder.write('K\u00fcste.jpg', 'coast 2');
    await pass();
    const [first, second] = [...uploads().values()];
    expect(fixture.arrived()).toEqual(['coast', 'coast 2']);
    expect(second?.document).toBe(first?.document);
  });

  it('does not upload a file again that was only renamed, and finds it by its new name', async () => {
    folder.write('Coast.jpg', 'coast');
    await pass();
    folder.rename('Coast.jpg', 'Beach.jpg');
    folder.rename('old.jpg', 'older.jpg');
    await pass();
    expect(fixture.arrived()).toEqual(['coast']);
    expect(fixture.storage.records.has('folder-file-Coast.jpg')).toBe(false);
    await fixture.start();
    await pass();
    expect(fixture.arrived()).toEqual(['coast']);
    folder.write('Beach.jpg', 'beach');
    await pass();
    const [first, second] = [...uploads().values()];
    expect(second?.document).toBe(first?.document);
  });

  it('uploads a copy of a file, and another file of the same size and date', async () => {
    folder.write('Coast.jpg', 'coast', 1_000);
    await pass();
    folder.write('Copy.jpg', 'coast', 1_000);
    await pass();
    folder.files.delete('Coast.jpg');
    folder.write('Other.jpg', 'COAST', 1_000);
    await pass();
    expect(fixture.arrived().sort()).toEqual(['COAST', 'coast', 'coast']);
  });

  /** A JPEG of the document with the identity `xmp.did:1`. */
  function writeDocument(name: string, text: string): void {
    const xmp = `http://ns.adobe.com/xap/1.0/\0<rdf:RDF><rdf:Description xmpMM:DocumentID="xmp.did:1"/></rdf:RDF>${text}`;
    const segment = Buffer.from(
      `\u00ff\u00e1\0${String.fromCharCode(xmp.length + 2)}${xmp}`,
      'latin1',
    );
    folder.write(name, Buffer.concat([jpeg('').subarray(0, 2), segment, jpeg('').subarray(2)]));
  }

  const documents = (): unknown[] => [...uploads().values()].map(({ document }) => document);

  it('takes the identity of a document as that of its file, unless another file has had it', async () => {
    writeDocument('Web.jpg', 'web');
    await pass();
    writeDocument('Print.jpg', 'print');
    await pass();
    folder.files.delete('Web.jpg');
    await pass();
    writeDocument('Web 2.jpg', 'web, renamed and changed');
    await pass();
    writeDocument('Web.jpg', 'web again');
    await pass();
    expect(documents()).toEqual([
      'xmp.did:1#image/jpeg',
      expect.stringMatching(/^folder:/),
      expect.stringMatching(/^folder:/),
      'xmp.did:1#image/jpeg',
    ]);
  });

  it('takes two files of one document as two photos, though the first was moved', async () => {
    await fixture.folder.setMovesUploaded(true);
    writeDocument('Web.jpg', 'web');
    await pass();
    writeDocument('Print.jpg', 'print');
    await pass();
    expect(folder.uploaded).toEqual(['Web.jpg', 'Print.jpg']);
    expect(documents()).toEqual(['xmp.did:1#image/jpeg', expect.stringMatching(/^folder:/)]);
  });

  it('takes at the next start what appeared while the plugin was not running', async () => {
    folder.write('Coast.jpg', 'coast');
    await pass();
    fixture.storage.dieAfter(0);
    folder.write('Dune.jpg', 'dune');
    folder.write('Coast.jpg', 'coast 2');
    await fixture.start();
    await pass();
    expect(fixture.arrived()).toEqual(['coast', 'coast 2', 'dune']);
  });

  it('does not add a photo again that the user has removed from the list', async () => {
    fixture.uploads.pause();
    folder.write('Coast.jpg', 'coast');
    await pass();
    await fixture.uploads.remove(fixture.idOf('Coast'));
    await pass();
    await fixture.start();
    fixture.uploads.resume();
    await pass();
    expect(fixture.arrived()).toEqual([]);
  });

  it('moves uploaded files if wanted, but not one that has changed or waits', async () => {
    await fixture.folder.setMovesUploaded(true);
    folder.write('Coast.jpg', 'coast');
    folder.write('Dune.jpg', 'dune');
    fixture.uploads.pause();
    await pass();
    expect(folder.uploaded).toEqual([]);
    fixture.uploads.resume();
    await fixture.finishAll();
    folder.write('Dune.jpg', 'dune 2');
    await pass();
    expect(folder.uploaded).toEqual(['Coast.jpg', 'Dune.jpg']);
    expect(fixture.arrived().sort()).toEqual(['coast', 'dune', 'dune 2']);
    folder.write('Coast.jpg', 'coast 2');
    await pass();
    expect(folder.uploaded).toEqual(['Coast.jpg', 'Dune.jpg', 'Coast.jpg']);
    // A version of a file that was moved, also after a restart.
    await fixture.start();
    folder.write('Coast.jpg', 'coast 3');
    await pass();
    expect(new Set(documents()).size).toBe(2);
    expect([...folder.files.keys()]).toEqual(['old.jpg']);
  });

  it('moves the other files when one cannot be moved, and that one later', async () => {
    await fixture.folder.setMovesUploaded(true);
    folder.unmovable.add('Coast.jpg');
    folder.write('Coast.jpg', 'coast');
    folder.write('Dune.jpg', 'dune');
    for (let look = 0; look < 4; look += 1) await pass();
    expect(folder.uploaded).toEqual(['Dune.jpg']);
    folder.unmovable.clear();
    for (let look = 0; look < 4; look += 1) await pass();
    expect(folder.uploaded).toEqual(['Dune.jpg', 'Coast.jpg']);
  });

  it('reports a folder that is gone, and continues when it is chosen again in its new place', async () => {
    folder.write('Coast.jpg', 'coast');
    await pass();
    folder.isGone = true;
    await pass();
    expect(watched().error?.code).toBe('CW-705');
    folder.isGone = false;
    folder.path = '/Volumes/Studio/Exports';
    folder.write('Dune.jpg', 'dune');
    await pass();
    expect(watched().error?.code).toBe('CW-705');
    expect(fixture.arrived()).toEqual(['coast']);
    await fixture.folder.choose();
    await pass();
    expect(watched()).toMatchObject({ error: null, project: AUTUMN });
    expect(fixture.arrived()).toEqual(['coast', 'dune']);
  });

  it('continues by itself when the folder is there again', async () => {
    folder.isGone = true;
    folder.write('Coast.jpg', 'coast');
    await pass();
    folder.isGone = false;
    await pass();
    expect(watched().error).toBeNull();
    expect(fixture.arrived()).toEqual(['coast']);
  });

  it('begins again with another folder', async () => {
    folder.write('Coast.jpg', 'coast');
    await pass();
    const other = new FakeFolder(fixture.storage, fixture.clock);
    other.path = '/Users/anna/Other';
    other.write('Forest.jpg', 'forest');
    Object.assign(folder.port, other.port);
    await fixture.folder.choose();
    other.write('Lake.jpg', 'lake');
    await pass();
    expect(fixture.arrived()).toEqual(['coast', 'lake']);
  });

  it('ends with Stop, and leaves no records', async () => {
    folder.write('Coast.jpg', 'coast');
    await pass();
    await fixture.folder.stop();
    folder.write('Dune.jpg', 'dune');
    await pass();
    expect(fixture.folder.state.get().folder).toBeNull();
    expect([...fixture.storage.records.keys()].filter((key) => key.startsWith('folder'))).toEqual(
      [],
    );
    expect(fixture.arrived()).toEqual(['coast']);
    expect(fixture.clock.pending).toBe(0);
  });

  it('is not watched for another account', async () => {
    await fixture.signOut();
    folder.write('Coast.jpg', 'coast');
    await pass();
    fixture.account = 'ben';
    fixture.uploads.onSignedIn();
    fixture.folder.scheduleScan();
    await pass();
    expect(watched().isForeign).toBe(true);
    expect(fixture.arrived()).toEqual([]);
    await fixture.folder.choose();
    folder.write('Dune.jpg', 'dune');
    await pass();
    expect(fixture.service.arrived('anna')).toEqual([]);
    expect(fixture.service.arrived('ben')).toEqual(['dune']);
  });

  it('shows a question before a file goes to an account that connects while it is copied', async () => {
    folder.onCopy = () => {
      fixture.account = null;
      void fixture.uploads.onSignedOut();
      fixture.account = 'ben';
      fixture.uploads.onSignedIn();
    };
    folder.write('Coast.jpg', 'coast');
    await pass();
    expect(fixture.arrived()).toEqual([]);
    expect(fixture.uploads.state.get().question).toEqual({ photos: 1 });
  });

  it('shows why files cannot be taken, and takes them when that is over', async () => {
    fixture.storage.fail('spool.copy', new CwError('CW-703', 'full'));
    folder.write('Coast.jpg', 'coast');
    await pass();
    expect(watched().error?.code).toBe('CW-703');
    fixture.storage.heal();
    await pass();
    expect(watched().error).toBeNull();
    expect(fixture.arrived()).toEqual(['coast']);
  });

  it('compares few of many known files at each look, and finds a change in any of them', async () => {
    for (let number = 0; number < 300; number += 1) folder.write(`${number}.jpg`, `${number}`, 1);
    await fixture.folder.stop();
    await fixture.folder.choose();
    await pass();
    folder.stats = 0;
    await pass(100_000);
    expect(folder.stats).toBeLessThanOrEqual(550);
    folder.write('250.jpg', 'changed');
    await pass(100_000);
    expect(fixture.arrived()).toEqual(['changed']);
    // One that was taken just now is compared at each look.
    folder.write('250.jpg', 'and again');
    await pass(15_000);
    expect(fixture.arrived()).toEqual(['changed', 'and again']);
  });

  it.each([
    ['moves files', true],
    ['finds a file renamed at the next start', false],
  ])('uploads each file once, whenever the plugin is killed, when it %s', async (_what, moves) => {
    for (let steps = 1; ; steps += 1) {
      beginPlugin();
      await fixture.start();
      await fixture.folder.choose();
      await fixture.folder.setMovesUploaded(moves);
      folder.write('Coast.jpg', 'coast');
      await pass(12_000);
      folder.write('Coast.jpg', 'coast 2');
      folder.write('Dune.jpg', 'dune');
      const isOver = await passUntilKilled(steps, 20_000);
      if (!moves) folder.rename('Dune.jpg', 'Dunes.jpg');
      await fixture.start();
      await pass();
      expect([steps, fixture.arrived().sort()]).toEqual([steps, ['coast', 'coast 2', 'dune']]);
      expect(fixture.uploads.state.get().orphans).toBe(0);
      expect([...fixture.storage.spool.keys()]).toEqual([]);
      if (isOver) break;
    }
  });

  it('creates one upload for a file that is taken again after its record was lost', async () => {
    folder.write('Coast.jpg', 'coast');
    await pass();
    for (const key of fixture.storage.records.keys())
      if (key.startsWith('folder-file-')) fixture.storage.records.delete(key);
    for (const key of fixture.storage.records.keys())
      if (key.startsWith('delivered-')) fixture.storage.records.delete(key);
    await fixture.start();
    await pass();
    expect(fixture.service.uploadsOf('anna').size).toBe(1);
    expect([...fixture.service.uploadsOf('anna').keys()]).toEqual([`${ENDPOINT}/u-1`]);
  });
});
