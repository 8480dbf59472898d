import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { en } from '../../ui/i18n/translations.js';
import { item, PanelFixture } from '../../panel/fixture.js';

const COMPUTER = { id: 'a3f2'.repeat(8), name: 'Mac · A3F2', shortId: 'A3F2' };

let fixture: PanelFixture;

beforeEach(() => {
  fixture = new PanelFixture();
});

describe('a panel that was scrolled', () => {
  it.each([
    ['is asked for', true],
    ['comes at once', false],
  ])(
    'shows a new code, not the end of the page where its button is, when it %s',
    async (_how, isSlow) => {
      fixture.session.set({ kind: 'signed-out' });
      const code = {
        kind: 'code',
        userCode: 'WDJB-MJHT',
        verificationUri: 'https://service.example/oauth/device',
        addressToOpen: 'https://service.example/oauth/device',
        expiresAt: fixture.clock.now() + 60_000,
        browserError: null,
        trouble: null,
        check: 'later',
        numbers: null,
      } as const;
      fixture.signIn.set(code);
      await fixture.drawn();
      const view = (): Element | null | undefined =>
        fixture.page.querySelector('#user-code')?.closest('.view');
      const scrolled = view();
      if (scrolled) scrolled.scrollTop = 200;
      if (isSlow) {
        fixture.signIn.set({ kind: 'requesting' });
        await fixture.drawn();
      }
      fixture.signIn.set({ ...code, userCode: 'BCDF-GHJK' });
      await fixture.drawn();
      expect(view()?.scrollTop).toBe(0);
    },
  );
});

describe('a panel that has just been opened', () => {
  it('shows at once that it is starting', () => {
    expect(fixture.read()).toEqual(['Starting…']);
    expect(fixture.buttons()).toEqual([]);
  });
});

describe('a panel without a session', () => {
  it('explains its purpose and offers to connect', async () => {
    fixture.session.set({ kind: 'signed-out' });
    await fixture.drawn();
    expect(fixture.read()).toEqual([en.welcomeTitle, en.welcomeText, 'Connect']);
    await fixture.click('Connect');
    expect(fixture.signInCalls.start).toHaveBeenCalledTimes(1);
  });

  it('offers to reconnect when the session has ended, with the reason, and that the photos are safe', async () => {
    fixture.session.set({ kind: 'reconnect-needed', error: new CwError('CW-202', 'ended') });
    fixture.show(item('a.jpg'), item('b.jpg', 'uploading'), item('c.jpg', 'uploaded'));
    await fixture.drawn();
    expect(fixture.read()).toEqual([
      'Please reconnect',
      en.errors['CW-202'],
      'CW-202',
      '2 files are safe here and will be uploaded once you are connected.',
      'Reconnect',
    ]);
    await fixture.click('Reconnect');
    expect(fixture.signInCalls.start).toHaveBeenCalledTimes(1);
  });

  it.each([
    [true, '2 files are safe here. Once you are connected, we ask before uploading them.'],
    [false, '1 file is safe here and will be uploaded once you are connected.'],
  ])('promises of what waits only what will happen: asked first %s', async (willAsk, sentence) => {
    fixture.session.set({ kind: 'signed-out' });
    fixture.change({ willAsk });
    fixture.show(item('a.jpg'), item('b.jpg', 'failed'));
    await fixture.drawn();
    expect(fixture.read()).toContain(sentence);
  });

  it('shows that a session has ended with a sign, not by a word alone', async () => {
    fixture.session.set({ kind: 'reconnect-needed', error: new CwError('CW-202', 'ended') });
    await fixture.drawn();
    expect(fixture.signs()).toEqual({ 'Please reconnect': 'error' });
  });

  it('shows the name of this computer, and renames it', async () => {
    fixture.session.set({ kind: 'signed-out' });
    fixture.device.set(COMPUTER);
    await fixture.drawn();
    expect(fixture.read().slice(-2)).toEqual([en.thisComputer, 'Mac · A3F2']);
    await fixture.click(`${en.thisComputer}Mac · A3F2`);
    expect(fixture.read()).toEqual([en.thisComputer, 'Cancel', 'Name', en.computerText, 'Save']);
    await fixture.type('Studio laptop');
    await fixture.click('Save');
    expect(fixture.actions.renameDevice).toHaveBeenCalledWith('Studio laptop');
    expect(fixture.buttons()).toContain('Connect');
  });

  it.each([
    ['CW-102', 'The code has expired'],
    ['CW-103', 'Access denied'],
    ['CW-107', 'The numbers did not match'],
    ['CW-106', 'Couldn’t connect'],
  ] as const)('offers a new code after %s, and explains what happened', async (code, title) => {
    fixture.session.set({ kind: 'signed-out' });
    fixture.signIn.set({ kind: 'ended', error: new CwError(code, 'over') });
    await fixture.drawn();
    expect(fixture.read()).toEqual(expect.arrayContaining([title, en.errors[code], code]));
    expect(fixture.buttons()).toEqual(['Get a new code']);
    await fixture.click('Get a new code');
    expect(fixture.signInCalls.start).toHaveBeenCalledTimes(1);
  });

  it.each(['CW-101', 'CW-104', 'CW-108', 'CW-305', 'CW-701'] as const)(
    'lets the user try again after %s, and explains what happened',
    async (code) => {
      fixture.session.set({ kind: 'signed-out' });
      fixture.signIn.set({ kind: 'ended', error: new CwError(code, 'over') });
      await fixture.drawn();
      expect(fixture.read()).toEqual(expect.arrayContaining([en.errors[code], code]));
      expect(fixture.buttons()).toEqual(['Connect']);
    },
  );

  it('does not claim to keep trying when a sign-in could not begin', async () => {
    fixture.session.set({ kind: 'signed-out' });
    fixture.signIn.set({ kind: 'ended', error: new CwError('CW-301', 'unreachable') });
    await fixture.drawn();
    expect(fixture.read()).toContain(`${en.errors['CW-301']} ${en.connectAgain}`);
    expect(fixture.buttons()).toEqual(['Connect']);
  });
});

describe('a panel that requests a code', () => {
  it('shows it and can be stopped', async () => {
    fixture.session.set({ kind: 'signed-out' });
    fixture.signIn.set({ kind: 'requesting' });
    await fixture.drawn();
    expect(fixture.read()).toEqual(['Getting a code…', en.requestingText, 'Cancel']);
    await fixture.click('Cancel');
    expect(fixture.signInCalls.cancel).toHaveBeenCalledTimes(1);
  });
});

describe('a panel whose code takes longer than usual', () => {
  it('shows it calmly, and can be stopped', async () => {
    fixture.session.set({ kind: 'signed-out' });
    fixture.signIn.set({ kind: 'requesting', isSlow: true });
    await fixture.drawn();
    expect(fixture.read()).toEqual([
      'Getting a code…',
      'This is taking longer than usual. The plugin keeps trying.',
      'Cancel',
    ]);
    fixture.signIn.set({ kind: 'requesting', isSlow: true, until: fixture.clock.now() + 20_000 });
    await fixture.drawn();
    expect(fixture.read()[1]).toMatch(/Trying again in (19|20) seconds\.$/);
  });
});

describe('a panel that waits as long as the service asked for', () => {
  it('shows why and how long, and can be stopped', async () => {
    fixture.session.set({ kind: 'signed-out' });
    fixture.signIn.set({ kind: 'requesting', until: fixture.clock.now() + 30_000 });
    await fixture.drawn();
    const [title, text, cancel] = fixture.read();
    expect(title).toBe('Getting a code…');
    expect(text).toMatch(/^The service is busy\..* Trying again in (29|30) seconds\.$/);
    expect(cancel).toBe('Cancel');
    await fixture.clock.advance(10_000);
    expect(fixture.read()[1]).toMatch(/Trying again in (19|20) seconds\.$/);
  });
});

describe('a panel with a code', () => {
  beforeEach(async () => {
    fixture.showCode();
    await fixture.drawn();
  });

  it('shows the code, the address, what to do and how long', () => {
    expect(fixture.read()).toEqual([
      'Your code',
      'WDJB-MJHT',
      'Open browser',
      'Copy code',
      ...['1', en.codeStepOpen, '2', en.codeStepSignIn, '3', en.codeStepAllow],
      en.troubleOpening,
      en.waitingForApproval,
      'The code expires in 15 minutes.',
    ]);
  });

  it('has other ways to the page, folded at first', async () => {
    await fixture.click(en.troubleOpening);
    expect(fixture.read()).toEqual(
      expect.arrayContaining([
        ...[en.codeAddress, 'https://service.example/oauth/device', 'Copy address'],
        ...['Get a new code', 'Show QR code', 'Spell it out'],
      ]),
    );
    await fixture.click(en.troubleOpening);
    expect(fixture.read()).not.toContain(en.codeAddress);
  });

  it('opens the browser, gets a new code and cancels on request', async () => {
    await fixture.click('Open browser');
    await fixture.click(en.troubleOpening);
    await fixture.click('Get a new code');
    await fixture.click('Cancel');
    expect(fixture.signInCalls.openBrowser).toHaveBeenCalledTimes(1);
    expect(fixture.signInCalls.startOver).toHaveBeenCalledTimes(1);
    expect(fixture.signInCalls.cancel).toHaveBeenCalledTimes(1);
  });

  it('copies the code and confirms it for a moment', async () => {
    await fixture.click('Copy code');
    expect(fixture.host.copyText.mock.calls).toEqual([['WDJB-MJHT']]);
    expect(fixture.buttons()).toContain('Copied');
    await fixture.clock.advance(1999);
    expect(fixture.buttons()).toContain('Copied');
    await fixture.clock.advance(1);
    expect(fixture.buttons()).toContain('Copy code');
  });

  it('does not say that it copied what it could not copy', async () => {
    const error = new CwError('CW-801', 'refused');
    fixture.host.copyText.mockRejectedValueOnce(error);
    await fixture.click('Copy code');
    expect(fixture.buttons()).toContain('Copy code');
    expect(fixture.read()).toEqual(expect.arrayContaining([en.errors['CW-801'], 'CW-801']));
    expect(fixture.faults).toEqual([error]);
    await fixture.click('Copy code');
    expect(fixture.read()).not.toContain('CW-801');
  });

  it('copies the new code once there is one', async () => {
    fixture.showCode({ userCode: 'BCDF-GHJK' });
    await fixture.drawn();
    await fixture.click('Copy code');
    expect(fixture.host.copyText.mock.calls).toEqual([['BCDF-GHJK']]);
  });

  it('counts the time down automatically', async () => {
    await fixture.clock.advance(61_000);
    expect(fixture.read()).toContain('The code expires in 14 minutes.');
    await fixture.clock.advance(13 * 60_000);
    expect(fixture.read()).toContain(en.codeAlmostOver);
  });

  it('reports a browser that was not opened, and leaves everything else in sight', async () => {
    fixture.showCode({ browserError: new CwError('CW-105', 'declined') });
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining(['WDJB-MJHT', en.errors['CW-105'], 'CW-105', en.troubleOpening]),
    );
  });

  it('shows the error that delays the approval, until it is over', async () => {
    fixture.showCode({ trouble: new CwError('CW-301', 'unreachable') });
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining([`${en.errors['CW-301']} ${en.codeKeepsTrying}`, 'CW-301']),
    );
    expect(fixture.read()).not.toContain(en.waitingForApproval);
    fixture.showCode();
    await fixture.drawn();
    expect(fixture.read()).not.toContain('CW-301');
    expect(fixture.read()).toContain(en.waitingForApproval);
  });

  it.each([
    ['after a minute', null],
    ['after trouble', new CwError('CW-303', 'busy')],
  ])(
    'offers to check now %s, below all other buttons, and shows the outcome',
    async (_when, trouble) => {
      const before = fixture.buttons();
      expect(before).not.toContain('Check now');
      fixture.showCode({ check: 'offered', trouble });
      await fixture.drawn();
      expect(fixture.buttons()).toEqual([...before, 'Check now']);
      expect(fixture.read().join(' ')).not.toContain(en.checkAsked);
      await fixture.click('Check now');
      expect(fixture.signInCalls.checkNow).toHaveBeenCalledTimes(1);
      fixture.showCode({ check: 'asked', trouble });
      await fixture.drawn();
      expect(fixture.buttons()).toEqual([...before, 'Check now']);
      expect(fixture.read().join(' ')).toContain(en.checkAsked);
      fixture.showCode({ check: 'offered' });
      await fixture.drawn();
      expect(fixture.read().join(' ')).not.toContain(en.checkAsked);
      expect(fixture.read()).toContain(en.waitingForApproval);
    },
  );

  it('shows a strange code and address as the text they are', async () => {
    const strange = '<b onclick=x>&amp;</b>';
    fixture.showCode({ userCode: strange, verificationUri: `https://service.example/${strange}` });
    await fixture.drawn();
    await fixture.click(en.troubleOpening);
    expect(fixture.read()).toEqual(
      expect.arrayContaining([strange, `https://service.example/${strange}`]),
    );
    expect(fixture.page.querySelector('b')).toBeNull();
  });

  it('spells the code for the phone, and folds that again', async () => {
    await fixture.click(en.troubleOpening);
    await fixture.click('Spell it out');
    expect(fixture.read()).toEqual(
      expect.arrayContaining(['W as in Whiskey', 'D as in Delta', 'Hyphen', 'T as in Tango']),
    );
    await fixture.click('Spell it out');
    expect(fixture.read()).not.toContain('W as in Whiskey');
    fixture.showCode({ userCode: 'A7?b' });
    await fixture.drawn();
    await fixture.click(en.troubleOpening);
    await fixture.click('Spell it out');
    expect(fixture.read()).toEqual(
      expect.arrayContaining(['A as in Alpha', 'Digit 7', 'Sign ?', 'b as in Bravo']),
    );
  });

  it('draws a QR code of the complete address, and offers none without one', async () => {
    await fixture.click(en.troubleOpening);
    await fixture.click('Show QR code');
    expect(fixture.page.querySelectorAll('.qr-row').length).toBeGreaterThan(20);
    const verificationUri = 'https://service.example/oauth/device';
    fixture.showCode({ verificationUri, addressToOpen: verificationUri });
    await fixture.drawn();
    expect(fixture.buttons()).not.toContain('Show QR code');
    expect(fixture.page.querySelectorAll('.qr-row')).toHaveLength(0);
  });

  it('copies the address', async () => {
    await fixture.click(en.troubleOpening);
    await fixture.click('Copy address');
    expect(fixture.host.copyText.mock.calls).toEqual([['https://service.example/oauth/device']]);
  });

  it('shows connected automatically once there is a session', async () => {
    fixture.session.set({ kind: 'signed-in', trouble: null });
    fixture.signIn.set({ kind: 'idle' });
    await fixture.drawn();
    expect(fixture.read()).toContain('Connected');
    expect(fixture.read()).toContain('You are connected');
    // What to do next is said once.
    expect(fixture.read()).not.toContain(en.noPhotos);
    // Not only out of sight: the code is used up and leaves the page.
    expect(fixture.page.textContent).not.toContain('WDJB-MJHT');
    fixture.show(item('a.jpg'));
    await fixture.drawn();
    expect(fixture.read()).not.toContain('You are connected');
    expect(fixture.read()).toContain('0 of 1 uploaded');
  });
});

describe('a panel whose service requests a number', () => {
  const numbers = { choices: ['17', '42', '86'], chosen: null };

  it('offers the numbers and None of these, and nothing of the code', async () => {
    fixture.showCode({ numbers });
    await fixture.drawn();
    expect(fixture.read()).toEqual([
      en.numberTitle,
      en.numberText,
      ...numbers.choices,
      en.noneOfThese,
      en.numberNone,
      'The code expires in 15 minutes.',
    ]);
    expect(fixture.buttons()).toEqual(['17', '42', '86', 'None of these']);
    await fixture.click('42');
    await fixture.click('None of these');
    expect(fixture.signInCalls.chooseNumber.mock.calls).toEqual([['42'], ['none']]);
  });

  it('can be stopped', async () => {
    fixture.showCode({ numbers });
    await fixture.drawn();
    await fixture.click('Cancel');
    expect(fixture.signInCalls.cancel).toHaveBeenCalledTimes(1);
  });

  it.each(['42', 'none'])('takes no other choice after %s, and shows trouble', async (chosen) => {
    fixture.showCode({
      numbers: { ...numbers, chosen },
      trouble: new CwError('CW-301', 'unreachable'),
    });
    await fixture.drawn();
    expect(fixture.read()).toEqual(expect.arrayContaining([en.numberSent, 'No connection']));
    expect(fixture.buttons()).toEqual([]);
    expect(fixture.page.querySelector('.number-chosen')?.textContent).toBe(
      chosen === 'none' ? undefined : '42',
    );
  });

  it('leads to the code when the numbers are withdrawn', async () => {
    fixture.showCode({ numbers });
    await fixture.drawn();
    fixture.showCode();
    await fixture.drawn();
    expect(fixture.read()).toContain('WDJB-MJHT');
  });
});

describe('a panel that shows a code', () => {
  it('names this computer as the page does', async () => {
    fixture.device.set(COMPUTER);
    fixture.showCode();
    await fixture.drawn();
    expect(fixture.read()).toContain('This computer: Mac · A3F2');
  });
});
