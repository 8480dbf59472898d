import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { buildPlugin } from '../../scripts/kept-build.js';
import { openPlugin, type Plugin } from '../host/host.js';
import { tokenAnswer } from '../oauth/fixture.js';
import {
  startScriptedServer,
  type Answer,
  type RecordedRequest,
  type ScriptedServer,
} from '../support/http-server.js';

const PENDING = {
  status: 400,
  body: { error: 'authorization_pending', number_choices: ['17', '42', '86'] },
};

/** The built bundle in the simulated host, against a service that requests the number of the browser page. */
describe('the number choice in the simulated host', () => {
  let folder: string;
  let server: ScriptedServer;
  let plugin: Plugin;
  /** The response to a poll with this number. */
  let decide: (number: string) => Answer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'number-'));
    server = await startScriptedServer();
    server.otherwise((request) => respond(request));
    await buildPlugin(server.origin, join(folder, 'dist'));
  });

  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    plugin = await open();
  });

  afterEach(() => {
    plugin.kill();
  });

  const open = (): Promise<Plugin> =>
    openPlugin({
      dist: join(folder, 'dist'),
      storageDir: join(folder, 'storage'),
      uxpVersion: '9.2.0',
      allowLoopbackHttp: true,
    });

  const respond = ({ path, form, method }: RecordedRequest): Answer => {
    switch (`${method} ${path}`) {
      case 'POST /api/oauth/device_authorization':
        return {
          status: 200,
          body: {
            device_code: 'the-device-code',
            user_code: 'BCDF-GHJK',
            verification_uri: `${server.origin}/oauth/device`,
            interval: 1,
          },
        };
      case 'POST /api/oauth/token':
        return form['number'] === undefined ? PENDING : decide(form['number']);
      case 'PATCH /api/v1/connection':
        return { status: 200, body: { device_name: 'Studio laptop' } };
      default:
        return { status: 404, body: { error: 'not_found' } };
    }
  };

  const requestsTo = (path: string): readonly RecordedRequest[] =>
    server.requests.filter((request) => request.path === path);

  it('connects after the right number, also over a restart, under the name that the user chose', async () => {
    decide = (number) =>
      number === '42'
        ? tokenAnswer(1)
        : { status: 400, body: { error: 'access_denied', reason: 'wrong_number' } };
    await plugin.waitFor('This computer');
    plugin.click(/^This computer/);
    await plugin.waitFor('Save');
    plugin.type('sp-textfield', 'Desk');
    plugin.click('Save');
    await plugin.waitFor(() => plugin.labels().includes('Connect'));
    plugin.click('Connect');
    await plugin.waitFor('Which number does the browser show?');
    const [request] = requestsTo('/api/oauth/device_authorization');
    expect(request?.form).toMatchObject({
      device_id: expect.stringMatching(/^[\w-]{16,64}$/),
      device_name: 'Desk',
      device_app: expect.stringMatching(/^Photoshop \d+\.\d+/),
      device_os: expect.stringMatching(/^(macOS|Windows) \d+$/),
      software_version: plugin.manifest.version,
    });

    plugin.kill();
    plugin = await open();
    await plugin.waitFor('Which number does the browser show?');
    expect(plugin.labels()).toEqual(expect.arrayContaining(['17', '42', '86', 'None of these']));
    plugin.click('42');
    await plugin.waitFor('Connected');

    plugin.click('Account menu');
    await plugin.waitFor('This computer…');
    plugin.click('This computer…');
    await plugin.waitFor('Save');
    plugin.type('sp-textfield', 'Studio laptop');
    plugin.click('Save');
    await plugin.waitFor('Add photos');
    expect(requestsTo('/api/v1/connection').map(({ body }) => body.toString())).toEqual([
      '{"device_name":"Studio laptop"}',
    ]);
    plugin.click('Account menu');
    await plugin.waitFor('Disconnect');
    plugin.click('Disconnect');
    await plugin.waitFor('Studio laptop');
    expect(plugin.uncaught).toEqual([]);
    expect(plugin.findings).toEqual([]);
  });

  it('connects nothing after None of these', async () => {
    decide = (number) => ({
      status: 400,
      body: { error: 'access_denied', reason: number === 'none' ? 'wrong_number' : 'not_allowed' },
    });
    await plugin.waitFor('Connect once.');
    plugin.click('Connect');
    await plugin.waitFor('Which number does the browser show?');
    plugin.click('None of these');
    await plugin.waitFor('CW-107');
    expect(plugin.labels()).toContain('Get a new code');
  });
});
