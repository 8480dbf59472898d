import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { en } from './translations.js';
import { item, PanelRig } from './fixture.js';

let rig: PanelRig;

beforeEach(() => {
  rig = new PanelRig();
});

describe('a panel that was scrolled', () => {
  it.each([
    ['is asked for', true],
    ['comes at once', false],
  ])(
    'shows a new code, not the end of the page where its button is, when it %s',
    async (_how, isSlow) => {
      rig.session.set({ kind: 'signed-out' });
      const code = {
        kind: 'code',
        userCode: 'WDJB-MJHT',
        verificationUri: 'https://service.example/oauth/device',
        addressToOpen: 'https://service.example/oauth/device',
        expiresAt: rig.clock.now() + 60_000,
        browserError: null,
        trouble: null,
        check: 'later',
      } as const;
      rig.signIn.set(code);
      await rig.drawn();
      const scrolled = rig.page.querySelector('#user-code')?.closest('.view');
      if (!scrolled) throw new Error('there is no code');
      scrolled.scrollTop = 200;
      if (isSlow) {
        rig.signIn.set({ kind: 'requesting' });
        await rig.drawn();
      }
      rig.signIn.set({ ...code, userCode: 'BCDF-GHJK' });
      await rig.drawn();
      expect(scrolled.scrollTop).toBe(0);
    },
  );
});

describe('a panel that has just been opened', () => {
  it('says that it is starting, at once', () => {
    expect(rig.read()).toEqual(['Starting…']);
    expect(rig.buttons()).toEqual([]);
  });
});

describe('a panel without a session', () => {
  it('says what it is for and offers to connect', async () => {
    rig.session.set({ kind: 'signed-out' });
    await rig.drawn();
    expect(rig.read()).toEqual([en.welcomeTitle, en.welcomeText, 'Connect']);
    await rig.click('Connect');
    expect(rig.signInCalls.start).toHaveBeenCalledTimes(1);
  });

  it('asks to reconnect when the session has ended, says why, and that the photos are safe', async () => {
    rig.session.set({ kind: 'reconnect-needed', error: new CwError('CW-202', 'ended') });
    rig.show(item('a.jpg'), item('b.jpg', 'uploading'), item('c.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.read()).toEqual([
      'Please reconnect',
      en.errors['CW-202'],
      'CW-202',
      '2 photos are safe here and will be uploaded once you are connected.',
      'Reconnect',
    ]);
    await rig.click('Reconnect');
    expect(rig.signInCalls.start).toHaveBeenCalledTimes(1);
  });

  it.each([
    [true, '1 photo is safe here. Once you are connected, we ask before uploading it.'],
    [false, '1 photo is safe here and will be uploaded once you are connected.'],
  ])('promises of what waits only what will happen: asked first %s', async (willAsk, sentence) => {
    rig.session.set({ kind: 'signed-out' });
    rig.change({ willAsk });
    rig.show(item('a.jpg'));
    await rig.drawn();
    expect(rig.read()).toContain(sentence);
  });

  it('says that a session has ended with a sign, not by a word alone', async () => {
    rig.session.set({ kind: 'reconnect-needed', error: new CwError('CW-202', 'ended') });
    await rig.drawn();
    expect(rig.signs()).toEqual({ 'Please reconnect': 'error' });
  });

  it.each([
    ['CW-102', 'The code has expired'],
    ['CW-103', 'Access denied'],
    ['CW-106', 'Couldn’t connect'],
  ] as const)('offers a new code after %s, and says what happened', async (code, title) => {
    rig.session.set({ kind: 'signed-out' });
    rig.signIn.set({ kind: 'ended', error: new CwError(code, 'over') });
    await rig.drawn();
    expect(rig.read()).toEqual(expect.arrayContaining([title, en.errors[code], code]));
    expect(rig.buttons()).toEqual(['Get a new code']);
    await rig.click('Get a new code');
    expect(rig.signInCalls.start).toHaveBeenCalledTimes(1);
  });

  it.each(['CW-101', 'CW-104', 'CW-305', 'CW-701'] as const)(
    'lets the person try again after %s, and says what happened',
    async (code) => {
      rig.session.set({ kind: 'signed-out' });
      rig.signIn.set({ kind: 'ended', error: new CwError(code, 'over') });
      await rig.drawn();
      expect(rig.read()).toEqual(expect.arrayContaining([en.errors[code], code]));
      expect(rig.buttons()).toEqual(['Connect']);
    },
  );

  it('does not claim to keep trying when a sign-in could not begin', async () => {
    rig.session.set({ kind: 'signed-out' });
    rig.signIn.set({ kind: 'ended', error: new CwError('CW-301', 'unreachable') });
    await rig.drawn();
    expect(rig.read()).toContain(`${en.errors['CW-301']} ${en.connectAgain}`);
    expect(rig.buttons()).toEqual(['Connect']);
  });
});

describe('a panel that asks for a code', () => {
  it('says so and can be stopped', async () => {
    rig.session.set({ kind: 'signed-out' });
    rig.signIn.set({ kind: 'requesting' });
    await rig.drawn();
    expect(rig.read()).toEqual(['Getting a code…', en.requestingText, 'Cancel']);
    await rig.click('Cancel');
    expect(rig.signInCalls.cancel).toHaveBeenCalledTimes(1);
  });
});

describe('a panel whose code takes longer than usual', () => {
  it('says so calmly, and can be stopped', async () => {
    rig.session.set({ kind: 'signed-out' });
    rig.signIn.set({ kind: 'requesting', isSlow: true });
    await rig.drawn();
    expect(rig.read()).toEqual([
      'Getting a code…',
      'This is taking longer than usual. The plugin keeps trying.',
      'Cancel',
    ]);
    rig.signIn.set({ kind: 'requesting', isSlow: true, until: rig.clock.now() + 20_000 });
    await rig.drawn();
    expect(rig.read()[1]).toMatch(/Trying again in (19|20) seconds\.$/);
  });
});

describe('a panel that waits as long as the service asked for', () => {
  it('says why and how long, and can be stopped', async () => {
    rig.session.set({ kind: 'signed-out' });
    rig.signIn.set({ kind: 'requesting', until: rig.clock.now() + 30_000 });
    await rig.drawn();
    const [title, text, cancel] = rig.read();
    expect(title).toBe('Getting a code…');
    expect(text).toMatch(/^The service is busy\..* Trying again in (29|30) seconds\.$/);
    expect(cancel).toBe('Cancel');
    await rig.clock.advance(10_000);
    expect(rig.read()[1]).toMatch(/Trying again in (19|20) seconds\.$/);
  });
});

describe('a panel with a code', () => {
  beforeEach(async () => {
    rig.showCode();
    await rig.drawn();
  });

  it('shows the code, the address, what to do and how long', () => {
    expect(rig.read()).toEqual([
      'Your code',
      'WDJB-MJHT',
      'Open browser',
      'Copy code',
      en.codeStepOpen,
      en.codeStepSignIn,
      en.codeStepAllow,
      en.codeAddress,
      'https://service.example/oauth/device',
      'Copy address',
      'Show QR code',
      'Spell it out',
      'Get a new code',
      'Cancel',
      en.waitingForApproval,
      'The code expires in 15 minutes.',
    ]);
  });

  it('opens the browser, gets a new code and cancels on request', async () => {
    await rig.click('Open browser');
    await rig.click('Get a new code');
    await rig.click('Cancel');
    expect(rig.signInCalls.openBrowser).toHaveBeenCalledTimes(1);
    expect(rig.signInCalls.startOver).toHaveBeenCalledTimes(1);
    expect(rig.signInCalls.cancel).toHaveBeenCalledTimes(1);
  });

  it('copies the code and says so for a moment', async () => {
    await rig.click('Copy code');
    expect(rig.host.copyText.mock.calls).toEqual([['WDJB-MJHT']]);
    expect(rig.buttons()).toContain('Copied');
    await rig.clock.advance(1999);
    expect(rig.buttons()).toContain('Copied');
    await rig.clock.advance(1);
    expect(rig.buttons()).toContain('Copy code');
  });

  it('does not say that it copied what it could not copy', async () => {
    const error = new CwError('CW-801', 'refused');
    rig.host.copyText.mockRejectedValueOnce(error);
    await rig.click('Copy code');
    expect(rig.buttons()).toContain('Copy code');
    expect(rig.read()).toEqual(expect.arrayContaining([en.errors['CW-801'], 'CW-801']));
    expect(rig.faults).toEqual([error]);
    await rig.click('Copy code');
    expect(rig.read()).not.toContain('CW-801');
  });

  it('copies the new code once there is one', async () => {
    rig.showCode({ userCode: 'BCDF-GHJK' });
    await rig.drawn();
    await rig.click('Copy code');
    expect(rig.host.copyText.mock.calls).toEqual([['BCDF-GHJK']]);
  });

  it('counts the time down automatically', async () => {
    await rig.clock.advance(61_000);
    expect(rig.read()).toContain('The code expires in 14 minutes.');
    await rig.clock.advance(13 * 60_000);
    expect(rig.read()).toContain(en.codeAlmostOver);
  });

  it('says when the browser was not opened, and leaves everything else in sight', async () => {
    rig.showCode({ browserError: new CwError('CW-105', 'declined') });
    await rig.drawn();
    expect(rig.read()).toEqual(
      expect.arrayContaining(['WDJB-MJHT', en.errors['CW-105'], 'CW-105', en.codeAddress]),
    );
  });

  it('shows the error that delays the approval, until it is over', async () => {
    rig.showCode({ trouble: new CwError('CW-301', 'unreachable') });
    await rig.drawn();
    expect(rig.read()).toEqual(
      expect.arrayContaining([`${en.errors['CW-301']} ${en.codeKeepsTrying}`, 'CW-301']),
    );
    expect(rig.read()).not.toContain(en.waitingForApproval);
    rig.showCode();
    await rig.drawn();
    expect(rig.read()).not.toContain('CW-301');
    expect(rig.read()).toContain(en.waitingForApproval);
  });

  it.each([
    ['after a minute', null],
    ['after trouble', new CwError('CW-303', 'busy')],
  ])(
    'offers to check now %s, below all other buttons, and says what becomes of it',
    async (_when, trouble) => {
      const before = rig.buttons();
      expect(before).not.toContain('Check now');
      rig.showCode({ check: 'offered', trouble });
      await rig.drawn();
      expect(rig.buttons()).toEqual([...before, 'Check now']);
      expect(rig.read().join(' ')).not.toContain(en.checkAsked);
      await rig.click('Check now');
      expect(rig.signInCalls.checkNow).toHaveBeenCalledTimes(1);
      rig.showCode({ check: 'asked', trouble });
      await rig.drawn();
      expect(rig.buttons()).toEqual([...before, 'Check now']);
      expect(rig.read().join(' ')).toContain(en.checkAsked);
      rig.showCode({ check: 'offered' });
      await rig.drawn();
      expect(rig.read().join(' ')).not.toContain(en.checkAsked);
      expect(rig.read()).toContain(en.waitingForApproval);
    },
  );

  it('shows a strange code and address as the text they are', async () => {
    const strange = '<b onclick=x>&amp;</b>';
    rig.showCode({ userCode: strange, verificationUri: `https://service.example/${strange}` });
    await rig.drawn();
    expect(rig.read()).toEqual(
      expect.arrayContaining([strange, `https://service.example/${strange}`]),
    );
    expect(rig.page.querySelector('b')).toBeNull();
  });

  it('spells the code for the phone, and folds that again', async () => {
    await rig.click('Spell it out');
    expect(rig.read()).toEqual(
      expect.arrayContaining(['W as in Whiskey', 'D as in Delta', 'Hyphen', 'T as in Tango']),
    );
    await rig.click('Close');
    expect(rig.read()).not.toContain('W as in Whiskey');
    rig.showCode({ userCode: 'A7?b' });
    await rig.drawn();
    await rig.click('Spell it out');
    expect(rig.read()).toEqual(
      expect.arrayContaining(['A as in Alpha', 'Digit 7', 'Sign ?', 'b as in Bravo']),
    );
  });

  it('draws a QR code of the complete address, and offers none without one', async () => {
    await rig.click('Show QR code');
    expect(rig.page.querySelectorAll('.qr-row').length).toBeGreaterThan(20);
    const verificationUri = 'https://service.example/oauth/device';
    rig.showCode({ verificationUri, addressToOpen: verificationUri });
    await rig.drawn();
    expect(rig.buttons()).not.toContain('Show QR code');
    expect(rig.page.querySelectorAll('.qr-row')).toHaveLength(0);
  });

  it('copies the address', async () => {
    await rig.click('Copy address');
    expect(rig.host.copyText.mock.calls).toEqual([['https://service.example/oauth/device']]);
  });

  it('shows connected automatically once there is a session', async () => {
    rig.session.set({ kind: 'signed-in', trouble: null });
    rig.signIn.set({ kind: 'idle' });
    await rig.drawn();
    expect(rig.read()).toContain('Connected');
    expect(rig.read()).toContain('You are connected');
    // What to do next is said once.
    expect(rig.read()).not.toContain(en.noPhotos);
    // Not only out of sight: the code is used up and leaves the page.
    expect(rig.page.textContent).not.toContain('WDJB-MJHT');
    rig.show(item('a.jpg'));
    await rig.drawn();
    expect(rig.read()).not.toContain('You are connected');
    expect(rig.read()).toContain('0 of 1 photo uploaded');
  });
});
