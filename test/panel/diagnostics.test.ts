import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { SECRET_KEYS, writeSession } from '../../src/oauth/session/session-codec.js';
import { diagnosticsText } from '../../src/panel/diagnostics.js';
import { ErrorLog } from '../../src/panel/error-log.js';
import { createPlugin } from '../../src/plugin.js';
import { createClient } from '../../src/config.js';
import { asJpeg } from '../support/jpeg.js';
import { createMemoryHost, memoryPhoto } from '../support/memory-host.js';
import { FakeClock } from '../support/fake-clock.js';
import { item, PanelFixture } from './fixture.js';

/** What must never be in the text, wherever it may have been. */
const CANARIES = {
  accessToken: 'svc_at_CANARYaccess0123456789',
  refreshToken: 'svc_rt_CANARYrefresh0123456789',
  deviceCode: 'CANARYdevicecode0123456789',
  userCode: 'CNRY-CODE',
  fileName: 'CANARY wedding of the Millers.jpg',
  path: '/Users/canary/Pictures',
};

const HOST = {
  appName: 'Photoshop',
  appVersion: '27.4.0',
  platform: '9.2.0',
  os: 'macOS 15',
  pluginVersion: '1.2.3',
  uiLocale: 'de_DE',
};

function textOf(fixture: PanelFixture, log = new ErrorLog(fixture.clock), host = HOST): string {
  const { session, account, signIn, queue, uploadState, summary } = fixture;
  return diagnosticsText({
    host,
    stores: {
      session,
      account,
      signIn,
      queue,
      uploadState,
      summary,
      photos: { get: () => fixture.photos() },
      folder: fixture.folder,
      device: fixture.device,
      lastReportAt: { get: () => fixture.clock.now() - 60_000 },
    },
    errors: log.entries,
    service: 'https://service.example',
    startedAt: fixture.clock.now() - 600_000,
    now: fixture.clock.now(),
  });
}

function expectNoCanary(text: string): void {
  for (const canary of Object.values(CANARIES)) expect(text).not.toContain(canary);
  expect(text.toUpperCase()).not.toContain('CANARY');
}

describe('the diagnostics', () => {
  it('report the state in a text short enough for a chat', () => {
    const fixture = new PanelFixture();
    const log = new ErrorLog(fixture.clock);
    log.watch(fixture);
    fixture.account.set({
      name: 'Anna',
      username: 'anna',
      workspace: { id: '0a1b-2c', name: 'Studio' },
      scopes: null,
    });
    fixture.device.set({ id: 'a3f2'.repeat(8), name: 'Studio laptop', shortId: 'A3F2' });
    fixture.connectedWith(
      item('a.jpg', 'uploaded'),
      item('b.jpg', 'uploading', { sentBytes: 400 }),
      item('c.jpg', 'failed', { failure: 'CW-604' }),
      item('d.jpg', 'failed', { failure: 'CW-604' }),
    );
    fixture.change({
      paused: true,
      rejected: [{ name: 'x', error: new CwError('CW-601', 'empty') }],
    });
    fixture.queue.set({
      kind: 'waiting',
      error: new CwError('CW-303', 'busy', { status: 503, requestId: 'req-77' }),
      until: fixture.clock.now() + 30_000,
    });
    expect(textOf(fixture, log)).toBe(
      [
        'Creative Workspace plugin 1.2.3',
        'App: Photoshop 27.4.0, platform 9.2.0, system macOS 15, language de_DE',
        'Service: https://service.example',
        'Time: 2026-01-15T12:00:00.000Z, running for 10 min',
        'Session: signed-in',
        'Workspace: 0a1b-2c',
        'Sign-in: idle',
        'Requests: waiting after CW-303, next try 2026-01-15T12:00:30.000Z',
        'Uploads: paused; waiting 0, uploading 1, uploaded 1, failed 2 (CW-604: 2); 1400 of 4000 bytes',
        'Computer: A3F2 (Studio laptop), reported 2026-01-15T11:59:00.000Z',
        'Adding: nothing; refused 1 (CW-601: 1)',
        'Folder: none',
        'Storage: fine',
        'Open question: none',
        'Last errors:',
        '  2026-01-15T12:00:00.000Z CW-601',
        '  2026-01-15T12:00:00.000Z CW-303 status 503 request req-77',
        '',
      ].join('\n'),
    );
  });

  it('contain no code, file, path or external text, in any state', () => {
    const fixture = new PanelFixture();
    const log = new ErrorLog(fixture.clock);
    log.watch(fixture);
    const error = (): CwError =>
      new CwError('CW-305', `${CANARIES.fileName} ${CANARIES.accessToken}`, {
        cause: new Error(CANARIES.path),
        status: 400,
        oauthError: `<b>${CANARIES.deviceCode}</b>`,
        requestId: `${CANARIES.path} ${CANARIES.userCode}`,
      });
    fixture.showCode({
      userCode: CANARIES.userCode,
      verificationUri: `https://service.example/${CANARIES.userCode}`,
      addressToOpen: `https://service.example/${CANARIES.userCode}`,
      browserError: error(),
      trouble: error(),
    });
    fixture.account.set({
      name: CANARIES.fileName,
      username: CANARIES.userCode,
      workspace: { id: '<b>', name: CANARIES.path },
      scopes: null,
    });
    fixture.show(item(CANARIES.fileName, 'failed', { failure: 'CW-602' }), item(CANARIES.fileName));
    fixture.change({
      rejected: [{ name: CANARIES.fileName, error: error() }],
      storageError: error(),
      documentError: error(),
    });
    fixture.queue.set({ kind: 'waiting', error: error(), until: Number.NaN });
    const text = textOf(fixture, log, {
      ...HOST,
      appName: 'Photoshop\n<b>/\\"',
      uiLocale: 'x'.repeat(500),
    });
    expectNoCanary(text);
    expect(text).toContain('App: Photoshopb 27.4.0');
    expect(text).toContain('Sign-in: code CW-305 CW-305');
    expect(text).toContain('next try unknown');
    expect(text.length).toBeLessThan(2_000);
  });

  it('keep the last ten errors, each once', () => {
    const clock = new FakeClock();
    const log = new ErrorLog(clock);
    const same = new CwError('CW-101', 'x', { oauthError: 'invalid_scope' });
    for (let again = 0; again < 3; again += 1) log.note(same);
    expect(log.entries).toHaveLength(1);
    expect(log.entries[0]).toMatchObject({ code: 'CW-101', oauthError: 'invalid_scope' });
    for (let count = 0; count < 20; count += 1) log.note(new CwError('CW-302', 'x'));
    log.note(null);
    log.note(new Error('not one of ours'));
    expect(log.entries).toHaveLength(10);
    expect(log.entries.every(({ code }) => code === 'CW-302')).toBe(true);
  });
});

describe('copying the diagnostics', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('puts a text without anything secret or private on the clipboard', async () => {
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const clock = new FakeClock();
    const host = createMemoryHost({ clock });
    const { accessToken, refreshToken } = CANARIES;
    const obtainedAt = host.clock.now();
    host.storage.secrets.set(
      SECRET_KEYS.session,
      writeSession({ accessToken, refreshToken, obtainedAt, expiresAt: null }),
    );
    const plugin = createPlugin(host, {
      client: createClient('https://service.example', 'client', 'uploads:write'),
      pluginVersion: '1.2.3',
      concurrency: 1,
      smallConcurrency: 1,
      chunkBytes: 1000,
    });
    await plugin.restore();
    plugin.uploads.pause();
    host.picks = [memoryPhoto(host.storage, CANARIES.fileName, asJpeg(new Uint8Array(10)))];
    await plugin.panel.context.actions.addPhotos();
    await clock.settle();
    plugin.onUnexpectedError(new Error(`${CANARIES.path} ${accessToken}`));
    await host.copyText(plugin.diagnostics());
    const [text = ''] = host.copied;
    expectNoCanary(text);
    expect(plugin.diagnostics()).toBe(text);
    expect(text).toContain('Session: signed-in');
    expect(text).toContain('Uploads: paused; waiting 1');
    expect(text).toMatch(/Z CW-901\n/);
  });
});
