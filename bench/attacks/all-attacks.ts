import { flood, formHead, holdConnections, openForm, send } from './attack.js';
import type { Attack, AttackTarget } from './attack.js';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const TUS = { 'Tus-Resumable': '1.0.0' };
const DEVICE = '/api/oauth/device_authorization';
const UPLOADS = '/api/v1/uploads';
const PLUGIN = 'client_id=creative-workspace-plugin';
const FORM_PATHS = [
  '/api/oauth/token',
  '/api/oauth/revoke',
  DEVICE,
  '/oauth/device',
  '/settings/sign-in',
];

/** One of many addresses of the attacker's. */
function manyAddresses(turn: number): string {
  return `198.18.${(turn >> 8) & 255}.${turn & 255}`;
}

function bearer({ token }: AttackTarget): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

/** Guesses codes with the form of one browser: the service counts by address. */
function guessCodes(addressOf: (turn: number) => string): Attack {
  return async (target, signal) => {
    const { cookie, fields } = await openForm(target, '/oauth/device', addressOf(0), signal);
    await flood(16, signal, (turn) => {
      const letters = Array.from({ length: 8 }, (_, at) => 'BCDFGHJKLMNPQRST'[(turn >> at) & 15]);
      const form = new URLSearchParams({ ...fields, user_code: letters.join('') }).toString();
      const headers = { ...FORM, Cookie: cookie };
      const from = addressOf(turn);
      return send(
        target,
        { method: 'POST', path: '/oauth/device', headers, body: form, from },
        signal,
      );
    });
  };
}

/** Tries passwords for the victim's name. */
function guessPasswords(addressOf: (turn: number) => string): Attack {
  return async (target, signal) => {
    const path = '/settings/sign-in';
    const { cookie, fields } = await openForm(target, path, addressOf(0), signal);
    const body = new URLSearchParams({ ...fields, username: target.victim, password: 'guess' });
    const headers = { ...FORM, Cookie: cookie };
    await flood(8, signal, (turn) =>
      send(
        target,
        { method: 'POST', path, headers, body: body.toString(), from: addressOf(turn) },
        signal,
      ),
    );
  };
}

/** The attacks by name, each with a note. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'cut bodies held at the token endpoint': (target, signal) =>
    holdConnections(target, 50, `${formHead('/api/oauth/token', 10)}x`, signal),

  'cut bodies held at every form': async (target, signal) => {
    await Promise.all(
      FORM_PATHS.map((path) => holdConnections(target, 20, `${formHead(path, 9000)}x=`, signal)),
    );
  },

  'cut upload bodies held': (target, signal) =>
    holdConnections(
      target,
      50,
      `POST ${UPLOADS} HTTP/1.1\r\nHost: localhost\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 100000\r\n` +
        `Authorization: Bearer ${target.token}\r\nContent-Type: application/offset+octet-stream\r\n` +
        `Content-Length: 100000\r\n\r\nx`,
      signal,
    ),

  'device codes from one address': (target, signal) =>
    flood(16, signal, () =>
      send(
        target,
        { method: 'POST', path: DEVICE, headers: FORM, body: `${PLUGIN}&scope=uploads:write` },
        signal,
      ),
    ),

  'device codes with long parameters from many addresses': (target, signal) => {
    const body = `${PLUGIN}&scope=uploads:write&state=${'x'.repeat(50_000)}`;
    return flood(16, signal, (turn) =>
      send(
        target,
        { method: 'POST', path: DEVICE, headers: FORM, body, from: manyAddresses(turn) },
        signal,
      ),
    );
  },

  'wrong passwords for the user from one address': guessPasswords(() => '203.0.113.66'),
  'wrong passwords for the user from many addresses': guessPasswords(manyAddresses),
  'guessed codes from one address': guessCodes(() => '203.0.113.66'),
  'guessed codes from many addresses': guessCodes(manyAddresses),

  'forms of 16 MB': async (target, signal) => {
    const body = Buffer.from(`username=${'x'.repeat(16_000_000)}`);
    await flood(8, signal, (turn) =>
      send(
        target,
        { method: 'POST', path: FORM_PATHS[turn % FORM_PATHS.length] ?? '', headers: FORM, body },
        signal,
      ),
    );
  },

  'endless chunked bodies': async (target, signal) => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    await Promise.all(
      FORM_PATHS.map((path) =>
        holdConnections(target, 6, formHead(path, 'chunked'), signal, { bytes: chunk, everyMs: 5 }),
      ),
    );
  },

  'slow headers': (target, signal) =>
    holdConnections(target, 300, 'GET /oauth/device HTTP/1.1\r\nHost: localhost\r\n', signal, {
      bytes: 'X-More: x\r\n',
      everyMs: 500,
    }),

  'idle connections': (target, signal) => holdConnections(target, 500, '', signal),

  'unfinished uploads of one account': (target, signal) =>
    flood(16, signal, () =>
      send(
        target,
        {
          method: 'POST',
          path: UPLOADS,
          headers: { ...TUS, ...bearer(target), 'Upload-Length': '5000000' },
        },
        signal,
      ),
    ),

  'a list of 50,000 uploads, 20 at once': (target, signal) =>
    flood(20, signal, () =>
      send(target, { method: 'GET', path: UPLOADS, headers: bearer(target) }, signal),
    ),

  "the victim's upload by its id": async (target, signal) => {
    const headers = { ...TUS, ...bearer(target) };
    const created = await send(
      target,
      { method: 'POST', path: UPLOADS, headers: { ...headers, 'Upload-Length': '9' } },
      signal,
    );
    const own = String(created?.headers['location']);
    const paths = [`${UPLOADS}/${target.victimUpload}`, `${own}?/${target.victimUpload}`];
    await flood(8, signal, (turn) => {
      const path = paths[turn % paths.length] ?? '';
      if (turn % 3 === 0) {
        return send(target, { method: 'HEAD', path, headers }, signal);
      }
      const bytes = {
        ...headers,
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Offset': '1000',
      };
      return send(target, { method: 'PATCH', path, headers: bytes, body: 'foreign bytes' }, signal);
    });
  },
};
