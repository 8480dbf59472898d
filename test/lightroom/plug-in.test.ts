import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { shareAs } from '../service/delivery/shares/sharing.js';
import { approveDevice, denyDevice, TestBrowser } from '../service/support/browser-client.js';
import { photo, sha256 } from '../service/support/tus-client.js';
import { useService } from '../service/support/use-service.js';
import { addUser, addWorkspace, type TestUser } from '../service/support/users.js';
import { Lightroom, type Fate, type PluginRequest } from './lightroom.js';

const PUBLISHING = 'uploads:write uploads:read projects:write';
const CONNECT = `sdk.state.result = require('SignIn').connect('${PUBLISHING}')`;
const SETTINGS = `{ cwProject = 'collection', cwTrash = false }`;

interface Uploaded {
  readonly id: string;
  readonly photo: string;
  readonly name: string;
  readonly sha256: string;
  readonly current: boolean;
  readonly project: { readonly id: string; readonly name: string } | null;
}

/** The plug-in in simulated Lightroom, against the real service. */
describe('the Lightroom plug-in', () => {
  let user: TestUser;
  let workspaceId: string;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    user = await addUser(service, { [workspaceId]: 'owner' });
  });

  const open: Lightroom[] = [];
  afterEach(() => {
    for (const lightroom of open.splice(0)) {
      lightroom.close();
    }
  });

  async function start(passwords: Record<string, string> = {}): Promise<Lightroom> {
    const lightroom = await Lightroom.start({ config: { baseUrl: service.baseUrl }, passwords });
    open.push(lightroom);
    return lightroom;
  }

  /** Runs until the dialog shows a code, and returns it. */
  async function codeIn(lightroom: Lightroom): Promise<string> {
    await lightroom.run(() => lightroom.dialog !== '');
    return /edit_field: (\S+)/.exec(lightroom.dialog)?.[1] ?? '';
  }

  async function connect(lightroom: Lightroom, account = user): Promise<void> {
    lightroom.begin(CONNECT);
    await approveDevice(service.baseUrl, await codeIn(lightroom), account);
    await lightroom.run();
    expect(lightroom.read('sdk.state.result')).toBe('true');
  }

  function session(lightroom: Lightroom): Record<string, string> {
    return JSON.parse(lightroom.read('sdk.state.passwords.session')) as Record<string, string>;
  }

  const api = async (lightroom: Lightroom, path: string): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${service.baseUrl}/api/v1${path}`, {
      headers: { authorization: `Bearer ${session(lightroom)['access'] ?? ''}` },
    });
    return (await answer.json()) as Record<string, unknown>;
  };

  const uploadsNamed = async (lightroom: Lightroom, name: string): Promise<Uploaded[]> =>
    (await api(lightroom, `/uploads?name=${encodeURIComponent(name)}`))['uploads'] as Uploaded[];

  const isToken = ({ url }: PluginRequest): boolean => url.endsWith('/api/oauth/token');
  const isRefresh = (request: PluginRequest): boolean =>
    isToken(request) && request.body.toString().includes('grant_type=refresh_token');
  const expire = (lightroom: Lightroom): void => {
    lightroom.read('rawset(sdk.state, "now", sdk.state.now + 3600) and ""');
  };
  const askForToken = `local token, problem = require('Connection').session:accessToken()
    return token and 'token' or problem.code`;

  describe('the sign-in', () => {
    it('opens the browser, waits for the user and keeps tokens in the secure storage only', async () => {
      const lightroom = await start();
      lightroom.begin(CONNECT);
      const code = await codeIn(lightroom);
      expect(lightroom.read('sdk.state.openedUrls[1]')).toBe(
        `${service.baseUrl}/oauth/device?user_code=${code}`,
      );
      await lightroom.run(() => lightroom.requests.filter(isToken).length > 1);
      await approveDevice(service.baseUrl, code, user);
      await lightroom.run();

      expect(lightroom.read('sdk.state.result')).toBe('true');
      expect(lightroom.dialog).toBe('');
      expect(session(lightroom)['access']).toMatch(/^svc_at_/);
      expect(await lightroom.evaluate(`return require('SignIn').status()`)).toContain(
        'North Studio',
      );
      expect(lightroom.leaks()).toEqual([]);
    });

    it('lets the user confirm the number after a typed code', async () => {
      const lightroom = await start();
      lightroom.begin(CONNECT);
      const browser = new TestBrowser(service.baseUrl);
      await browser.open('/oauth/device');
      await browser.submit('Continue', { user_code: await codeIn(lightroom) });
      await browser.submit('Sign in', { username: user.username, password: user.password });
      const { markup } = await browser.submit('Allow');
      await lightroom.run(() => lightroom.dialog.includes('Which number does the browser show?'));
      lightroom.press(/class="big-number"[^>]*>(\d\d)</.exec(markup)?.[1] ?? '');
      await lightroom.run();

      expect(lightroom.read('sdk.state.result')).toBe('true');
    });

    it('ends when the user sees no such number', async () => {
      const lightroom = await start();
      lightroom.begin(CONNECT);
      const browser = new TestBrowser(service.baseUrl);
      await browser.open('/oauth/device');
      await browser.submit('Continue', { user_code: await codeIn(lightroom) });
      await browser.submit('Sign in', { username: user.username, password: user.password });
      await browser.submit('Allow');
      await lightroom.run(() => lightroom.dialog.includes('None of these'));
      lightroom.press('None of these');
      await lightroom.run();

      expect(lightroom.messages.join()).toContain('CW-107');
    });

    it('shows a sentence with its code after Deny, and stores nothing', async () => {
      const lightroom = await start();
      lightroom.begin(CONNECT);
      await denyDevice(service.baseUrl, await codeIn(lightroom), user);
      await lightroom.run();

      expect(lightroom.messages.join()).toContain('CW-103');
      expect(lightroom.read('sdk.state.passwords.session')).toBe('nil');
    });

    it('stops after Cancel without a message', async () => {
      const lightroom = await start();
      lightroom.begin(CONNECT);
      await codeIn(lightroom);
      lightroom.press('Cancel');
      await lightroom.run();

      expect(lightroom.read('sdk.state.result')).toBe('false');
      expect(lightroom.messages).toEqual([]);
    });
  });

  describe('the session', () => {
    it('sends one refresh for ten tasks, and rotates the token', async () => {
      const lightroom = await start();
      await connect(lightroom);
      const before = session(lightroom);
      expire(lightroom);
      for (let task = 0; task < 10; task += 1) {
        lightroom.begin(`local token = require('Connection').session:accessToken()
          sdk.state.prefs.count = (sdk.state.prefs.count or 0) + (token and 1 or 0)`);
      }
      await lightroom.run();

      expect(lightroom.read('sdk.state.prefs.count')).toBe('10');
      expect(lightroom.requests.filter(isRefresh)).toHaveLength(1);
      expect(session(lightroom)['refresh']).not.toBe(before['refresh']);
      expect(session(lightroom)['attempt']).toBeUndefined();
      expect(lightroom.leaks()).toEqual([]);
    });

    it('repeats a refresh whose answer was lost, with the same refresh_attempt, also after a restart', async () => {
      const lightroom = await start();
      await connect(lightroom);
      expire(lightroom);
      lightroom.fate = (request) => (isRefresh(request) ? 'lose-answer' : 'send');
      expect(await lightroom.evaluate(askForToken)).toBe('CW-302');
      expect(session(lightroom)['attempt']).toMatch(/^[A-Za-z0-9_-]{43}$/);

      const restarted = await start({
        session: lightroom.read('sdk.state.passwords.session'),
      });
      expire(restarted);
      expect(await restarted.evaluate(askForToken)).toBe('token');
      const [first, second] = [lightroom, restarted].map(
        ({ requests }) => requests.find(isRefresh)?.body.toString() ?? '',
      );
      expect(second).toBe(first);
    });

    it('sends nothing when the secure storage does not keep the attempt', async () => {
      const lightroom = await start();
      await connect(lightroom);
      expire(lightroom);
      lightroom.read('rawset(sdk.state, "passwordsFail", true) and ""');

      expect(await lightroom.evaluate(askForToken)).toBe('CW-701');
      expect(lightroom.requests.filter(isRefresh)).toEqual([]);
    });

    it('ends after invalid_grant only', async () => {
      const lightroom = await start();
      await connect(lightroom);
      expire(lightroom);
      const answers = ['invalid_client', 'temporarily_unavailable', 'invalid_grant'];
      lightroom.fate = (request) =>
        isRefresh(request)
          ? new Response(JSON.stringify({ error: answers.shift() }), { status: 400 })
          : 'send';

      expect(await lightroom.evaluate(askForToken)).toBe('CW-303');
      expect(await lightroom.evaluate(askForToken)).toBe('CW-303');
      expect(session(lightroom)['access']).toMatch(/^svc_at_/);
      expect(await lightroom.evaluate(askForToken)).toBe('CW-202');
      expect(session(lightroom)['access']).toBeUndefined();
      expect(await lightroom.evaluate(askForToken)).toBe('CW-202');
    });

    it('refreshes after a 401, and revokes the grant when the user disconnects', async () => {
      const lightroom = await start();
      await connect(lightroom);
      const first = session(lightroom)['access'] ?? '';
      let refused = 0;
      lightroom.fate = (request) => {
        const isOld = request.headers['Authorization'] === `Bearer ${first}`;
        refused += isOld ? 1 : 0;
        return isOld
          ? new Response(JSON.stringify({ error: 'invalid_token' }), { status: 401 })
          : 'send';
      };
      expect(await lightroom.evaluate(`return require('SignIn').status()`)).toContain('Connected');
      expect(refused).toBe(1);

      const { access = '' } = session(lightroom);
      await lightroom.evaluate(`require('Connection').session:disconnect()`);
      expect(session(lightroom)).toEqual({ baseUrl: service.baseUrl });
      const answer = await fetch(`${service.baseUrl}/api/v1/me`, {
        headers: { authorization: `Bearer ${access}` },
      });
      expect(answer.status).toBe(401);
    });

    it('is no session with another service', async () => {
      const lightroom = await start();
      await connect(lightroom);
      const other = await Lightroom.start({
        config: { baseUrl: 'https://other.example' },
        passwords: { session: lightroom.read('sdk.state.passwords.session') },
      });
      open.push(other);
      expect(await other.evaluate(askForToken)).toBe('CW-201');
      expect(other.requests).toEqual([]);
    });
  });

  describe('publishing', () => {
    let stored: string;
    beforeAll(async () => {
      const lightroom = await start();
      await connect(lightroom);
      stored = lightroom.read('sdk.state.passwords.session');
    });

    const uuidOf = (number: number): string =>
      `01234567-89AB-CDEF-0123-${number.toString(16).toUpperCase().padStart(12, '0')}`;

    /** A catalog with photos, connected. */
    async function catalog(names: readonly string[], firstNumber: number): Promise<Lightroom> {
      return addPhotos(await start({ session: stored }), names, firstNumber);
    }

    /** The same with a separate session, which the test replaces. */
    async function ownCatalog(names: readonly string[], firstNumber: number): Promise<Lightroom> {
      const lightroom = await start();
      await connect(lightroom);
      return addPhotos(lightroom, names, firstNumber);
    }

    function addPhotos(
      lightroom: Lightroom,
      names: readonly string[],
      firstNumber: number,
    ): Lightroom {
      names.forEach((name, index) => {
        lightroom.read(
          `sdk.addPhoto({ fileName = '${name}', uuid = '${uuidOf(firstNumber + index)}' })`,
        );
      });
      return lightroom;
    }

    /** Publishes rendered files, by the place of their photo in the catalog. */
    async function publish(
      lightroom: Lightroom,
      collection: string,
      files: Readonly<Record<number, readonly [name: string, content: Uint8Array]>>,
      settings = SETTINGS,
    ): Promise<string[]> {
      const paths = Object.entries(files).map(([place, [name, content]]) => {
        lightroom.writeFile(`/tmp/${name}`, content);
        return `[${place}] = '/tmp/${name}'`;
      });
      lightroom.read(`sdk.publish('${collection}', { ${paths.join(', ')} }, ${settings})`);
      await lightroom.run();
      const count = Number(lightroom.read('#sdk.state.outcomes'));
      return Array.from({ length: count }, (_, index) =>
        lightroom.read(`sdk.state.outcomes[${index + 1}].failed`),
      );
    }

    const published = (lightroom: Lightroom, collection: string, place = 1): string[] =>
      lightroom.read(`sdk.publishedPhoto('${collection}', ${place})`).split('|');

    it('uploads to the project of the collection, byte for byte, and nothing when repeated', async () => {
      const lightroom = await catalog(['Coast 1.CR3', 'Küste 2.CR3'], 100);
      const files = {
        1: ['Coast 1.jpg', photo(5000, 1)],
        2: ['Küste 2.jpg', photo(200, 2)],
      } as const;
      expect(await publish(lightroom, 'Coast', files)).toEqual(['nil', 'nil']);

      const [coast] = await uploadsNamed(lightroom, 'Coast 1');
      expect(coast).toMatchObject({ sha256: sha256(files[1][1]), project: { name: 'Coast' } });
      expect(await uploadsNamed(lightroom, 'Küste 2')).toHaveLength(1);
      expect(published(lightroom, 'Coast')).toEqual([
        coast?.photo,
        `${service.baseUrl}/photos/${coast?.photo ?? ''}`,
        'false',
      ]);
      const before = lightroom.requests.length;
      expect(await publish(lightroom, 'Coast', files)).toEqual([]);
      expect(lightroom.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
      expect(lightroom.leaks()).toEqual([]);
      expect(lightroom.read('#sdk.state.undo')).toBe('0');
    });

    it('adds a version in place of the old one, also when the first bytes come back', async () => {
      const lightroom = await catalog(['Night.CR3'], 200);
      for (const seed of [1, 2, 1]) {
        expect(await publish(lightroom, 'Nights', { 1: ['Night.jpg', photo(900, seed)] })).toEqual([
          'nil',
        ]);
        lightroom.read(`sdk.edit('Nights', 1)`);
      }
      const versions = await uploadsNamed(lightroom, 'Night.jpg');
      expect(versions).toHaveLength(3);
      expect(new Set(versions.map((version) => version.photo)).size).toBe(1);
      expect(versions.filter(({ current }) => current)).toMatchObject([
        { sha256: sha256(photo(900, 1)), id: versions.at(-1)?.id },
      ]);
      expect(published(lightroom, 'Nights')[0]).toBe(versions[0]?.photo);
    });

    it('keeps a photo apart in two collections', async () => {
      const lightroom = await catalog(['Twice.CR3'], 300);
      await publish(lightroom, 'Album', { 1: ['Twice.jpg', photo(300)] });
      await publish(lightroom, 'Prints', { 1: ['Twice.jpg', photo(300)] });
      const uploads = await uploadsNamed(lightroom, 'Twice');
      expect(uploads.map(({ project }) => project?.name).sort()).toEqual(['Album', 'Prints']);
      expect(new Set(uploads.map((upload) => upload.photo)).size).toBe(2);
    });

    const isCreation = ({ method, url }: PluginRequest): boolean =>
      method === 'POST' && url.endsWith('/uploads');
    const isChunk = ({ method }: PluginRequest): boolean => method === 'PATCH';
    const isReading = ({ method, url }: PluginRequest): boolean =>
      method === 'GET' && /\/uploads\/[^/?]+$/.test(url);

    it('publishes a photo once, whichever request fails, and in whichever way', async () => {
      const kinds = { isCreation, isChunk, isReading };
      const fates: Record<string, () => Fate> = {
        lost: () => 'lose-request',
        unanswered: () => 'lose-answer',
        busy: () => new Response('{"error":"temporarily_unavailable"}', { status: 503 }),
        portal: () => new Response('<html>Sign in to this network</html>', { status: 200 }),
      };
      const lightroom = await catalog(
        Array.from({ length: 12 }, (_, index) => `F${index}.CR3`),
        400,
      );
      const results: unknown[] = [];
      let place = 0;
      for (const [kind, isHit] of Object.entries(kinds)) {
        for (const [fate, make] of Object.entries(fates)) {
          place += 1;
          const name = `Fault ${kind} ${fate}.jpg`;
          const content = photo(700 + place, place);
          let hits = 0;
          lightroom.fate = (request) => (isHit(request) && (hits += 1) === 1 ? make() : 'send');
          const first = await publish(lightroom, 'Faults', { [place]: [name, content] });
          // The next press of Publish brings what failed.
          const second =
            first[0] === 'nil'
              ? []
              : await publish(lightroom, 'Faults', { [place]: [name, content] });
          const uploads = await uploadsNamed(lightroom, name);
          results.push([
            name,
            hits > 0,
            uploads.map((upload) => upload.sha256 === sha256(content)),
            published(lightroom, 'Faults', place)[2],
            second.filter((failure) => failure !== 'nil'),
          ]);
        }
      }
      expect(results).toEqual(
        Object.keys(kinds).flatMap((kind) =>
          Object.keys(fates).map((fate) => [
            `Fault ${kind} ${fate}.jpg`,
            true,
            [true],
            'false',
            [],
          ]),
        ),
      );
    });

    it('uploads once when Lightroom was killed before it recorded the photo', async () => {
      const killed = await catalog(['Killed.CR3'], 500);
      killed.fate = (request) =>
        isReading(request) ? new Response('{"error":"gone"}', { status: 400 }) : 'send';
      expect((await publish(killed, 'Kill', { 1: ['Killed.jpg', photo(800)] }))[0]).toContain(
        'CW-',
      );

      const again = await catalog(['Killed.CR3'], 500);
      again.read('rawset(sdk.state, "now", sdk.state.now + 60) and ""');
      expect(await publish(again, 'Kill', { 1: ['Killed.jpg', photo(800)] })).toEqual(['nil']);
      expect(await uploadsNamed(again, 'Killed')).toHaveLength(1);

      // Another rendering of the same photo becomes a version of it.
      const rendered = await catalog(['Killed.CR3'], 500);
      await publish(rendered, 'Kill', { 1: ['Killed.jpg', photo(801)] });
      const versions = await uploadsNamed(rendered, 'Killed');
      expect(new Set(versions.map((version) => version.photo)).size).toBe(1);
    });

    it('sends a long file in parts, with bounded bodies, and continues after an interruption', async () => {
      const lightroom = await catalog(['Long.CR3'], 600);
      const content = photo(9 * 1024 * 1024 + 17, 3);
      let chunks = 0;
      lightroom.fate = (request) =>
        isChunk(request) && (chunks += 1) === 2 ? 'lose-answer' : 'send';
      expect(await publish(lightroom, 'Long', { 1: ['Long.jpg', content] })).toEqual(['nil']);
      const sent = lightroom.requests.filter(isChunk).map(({ body }) => body.length);
      expect(Math.max(...sent)).toBeLessThanOrEqual(4 * 1024 * 1024);
      // The service had the part whose answer was lost, so no byte is sent twice.
      expect(sent.reduce((sum, bytes) => sum + bytes, 0)).toBe(content.length);
      expect(await uploadsNamed(lightroom, 'Long')).toMatchObject([{ sha256: sha256(content) }]);
    });

    it.each([
      [460, '{"error":"checksum_mismatch"}', 'CW-306'],
      [413, '{"error":"too_large"}', 'CW-604'],
      [422, '{"error":"unknown_project"}', 'CW-612'],
    ])('marks the photo for the next publish after %i', async (status, body, code) => {
      const lightroom = await catalog(['Refused.CR3'], 700 + status);
      lightroom.fate = (request) => (isCreation(request) ? new Response(body, { status }) : 'send');
      const [failure] = await publish(lightroom, 'Refusals', { 1: ['Refused.jpg', photo(50)] });
      expect(failure).toContain(code);
      expect(published(lightroom, 'Refusals')).toEqual(['nil', 'nil', 'true']);
    });

    it.each([
      ['insufficient_storage', 'CW-606', 'the first request'],
      ['insufficient_disk_space', 'CW-620', 'the first request'],
      // An older service has one answer for both, or a text.
      ['', 'CW-606', 'the first request'],
      ['insufficient_disk_space', 'CW-620', 'the bytes'],
    ])('stops with one sentence after 507 %s (%s) of %s', async (error, code, refused) => {
      const names = ['Fits', 'Full 1', 'Full 2', 'Full 3'];
      const run = `${error}${refused}`.length;
      const lightroom = await catalog(
        names.map((name) => `${name}.CR3`),
        1200 + 10 * run,
      );
      let creations = 0;
      let hasSpace = false;
      lightroom.fate = (request) => {
        if (isCreation(request)) creations += 1;
        const isRefused = refused === 'the bytes' ? isChunk(request) : isCreation(request);
        return !hasSpace && isRefused && creations > 1
          ? new Response(JSON.stringify({ error }), { status: 507 })
          : 'send';
      };
      const files = Object.fromEntries(
        names.map((name, index) => [
          index + 1,
          [`${name}.jpg`, photo(300 + run, 100 + index)] as const,
        ]),
      );
      const collection = `No space ${run}`;
      expect(await publish(lightroom, collection, files)).toEqual(['nil', 'nil', 'nil', 'nil']);
      expect(creations).toBe(2);
      expect(lightroom.messages.join('\n').match(/CW-\d+/g)).toEqual([code]);
      const marks = (): string[] =>
        names.map((_, index) => published(lightroom, collection, index + 1)[2] ?? '');
      expect(marks()).toEqual(['false', 'true', 'true', 'true']);
      hasSpace = true;
      await publish(lightroom, collection, files);
      expect(marks()).toEqual(['false', 'false', 'false', 'false']);
      for (const [index, name] of names.entries()) {
        expect(await uploadsNamed(lightroom, name)).toContainEqual(
          expect.objectContaining({ sha256: sha256(files[index + 1]?.[1] ?? Buffer.of()) }),
        );
      }
    });

    it('sends the digest of all bytes with the last part', async () => {
      const lightroom = await catalog(['Digest.CR3'], 800);
      lightroom.fate = (request) =>
        isChunk(request) ? new Response('{"error":"checksum_mismatch"}', { status: 460 }) : 'send';
      const [failure] = await publish(lightroom, 'Digest', {
        1: ['Digest.jpg', Buffer.from('123456789')],
      });
      expect(failure).toContain('CW-306');
      // The check value of CRC-32C (RFC 3720 appendix B.4 lists others).
      expect(lightroom.requests.find(isChunk)?.headers['Repr-Digest']).toBe(
        `crc32c=:${Buffer.from('e3069283', 'hex').toString('base64')}:`,
      );
    });

    it('removes photos from the collection only, and moves them to the trash when asked', async () => {
      const lightroom = await ownCatalog(['Kept.CR3', 'Trashed.CR3'], 900);
      await publish(lightroom, 'Removals', {
        1: ['Kept.jpg', photo(60)],
        2: ['Trashed.jpg', photo(61, 2)],
      });
      const remove = (id: string, trash: boolean): string =>
        `local removed = {}
         require('PublishService').deletePhotosFromPublishedCollection(
           { cwTrash = ${trash} }, { '${id}' }, function(id) removed[#removed + 1] = id end)
         sdk.state.result = table.concat(removed, ',')`;
      const [kept = ''] = published(lightroom, 'Removals', 1);
      const [trashed = ''] = published(lightroom, 'Removals', 2);
      const before = lightroom.requests.length;
      lightroom.begin(remove(kept, false));
      await lightroom.run();
      expect(lightroom.read('sdk.state.result')).toBe(kept);
      expect(lightroom.requests).toHaveLength(before);

      // The scope is requested when it is first needed.
      lightroom.begin(remove(trashed, true));
      await approveDevice(service.baseUrl, await codeIn(lightroom), user);
      await lightroom.run();
      expect(lightroom.read('sdk.state.result')).toBe(trashed);
      expect(await uploadsNamed(lightroom, 'Trashed')).toEqual([]);
      expect(await uploadsNamed(lightroom, 'Kept')).toHaveLength(1);

      // Added to the collection again, it is uploaded again.
      lightroom.read(`sdk.loseRecord('Removals', 2)`);
      expect(await publish(lightroom, 'Removals', { 2: ['Trashed.jpg', photo(61, 2)] })).toEqual([
        'nil',
      ]);
      expect(await uploadsNamed(lightroom, 'Trashed')).toHaveLength(1);
      expect(lightroom.leaks()).toEqual([]);
    });

    it('gets selects: ratings, labels, flags, comments and a collection, once, with Undo', async () => {
      const lightroom = await ownCatalog(
        ['Sel1.CR3', 'Sel2.CR3', 'Sel3.CR3', 'Sel4.CR3', 'Same.CR3', 'Same.JPG.CR3'],
        1000,
      );
      await publish(lightroom, 'Selects', {
        1: ['Sel1.jpg', photo(70, 1)],
        2: ['Renamed2.jpg', photo(70, 2)],
        3: ['Renamed3.jpg', photo(70, 3)],
        4: ['Sel4.jpg', photo(70, 4)],
      });
      const [first = '', second = '', third = '', fourth = ''] = [1, 2, 3, 4].map(
        (place) => published(lightroom, 'Selects', place)[0],
      );
      const project = (await uploadsNamed(lightroom, 'Sel1'))[0]?.project?.id ?? '';
      const link = await linkTo(project);
      await answer(link, first, 'stars', 4, null);
      await answer(link, first, 'label', 3, null);
      await answer(link, second, 'favourite', null, null);
      await answer(link, second, 'comment', null, 'Etwas heller, bitte');
      await answer(link, third, 'stars', 2, null);
      await answer(link, fourth, 'comment', null, 'Fine');
      // A file of another app, which no photo has.
      lightroom.read(`sdk.loseRecord('Selects', 3)`);
      lightroom.read(`sdk.state.photos[3]._set('rating', 5) or ''`);

      lightroom.openMenu('GetSelects');
      await approveDevice(service.baseUrl, await codeIn(lightroom), user);
      await lightroom.run(() => lightroom.dialog.startsWith('Get selects'));
      lightroom.choose('popup_menu', '', 'Project: Selects');
      lightroom.press('Get selects');
      await lightroom.run();

      const [title = ''] = lightroom.messages.slice(-1);
      expect(title).toContain('Selects: 4 of 4 photos found');
      expect(title).toContain('Rating or label of yours kept: 1');
      const after = lightroom.read('sdk.describe()').split('\n');
      expect(after.slice(0, 4)).toEqual([
        'Sel1.CR3|4|green|0|',
        'Sel2.CR3|5|none|1|Mia: Etwas heller, bitte',
        'Sel3.CR3|5|none|0|',
        'Sel4.CR3|nil|none|0|Mia: Fine',
      ]);
      expect(after.at(-1)).toMatch(/^Selects, \d{4}-\d\d-\d\d: Sel1.CR3, Sel2.CR3, Sel3.CR3$/);
      expect(lightroom.leaks()).toEqual([]);

      const steps = lightroom.read('#sdk.state.undo');
      lightroom.openMenu('GetSelects');
      await lightroom.run(() => lightroom.dialog !== '');
      lightroom.choose('popup_menu', '', 'Project: Selects');
      lightroom.press('Get selects');
      await lightroom.run();
      expect(lightroom.read('#sdk.state.undo')).toBe(steps);
      expect(lightroom.read('sdk.describe()').split('\n')).toEqual(after);
      expect(lightroom.messages.at(-1)).toContain('Changed: 0');

      lightroom.openMenu('GetSelects');
      await lightroom.run(() => lightroom.dialog !== '');
      lightroom.choose('popup_menu', '', 'Project: Selects');
      lightroom.choose('checkbox', 'Replace my ratings and labels', 'true');
      lightroom.press('Get selects');
      await lightroom.run();
      expect(lightroom.read('sdk.describe()')).toContain('Sel3.CR3|2|none|0|');
      expect(lightroom.read('sdk.undo()')).toBe('Get selects');
      expect(lightroom.read('sdk.undo()')).toBe('Get selects');
      expect(lightroom.read('sdk.describe()').split('\n').slice(0, 2)).toEqual([
        'Sel1.CR3|nil|none|0|',
        'Sel2.CR3|nil|none|0|',
      ]);
    });

    /** Makes a link to a project; returns its id. */
    async function linkTo(project: string): Promise<string> {
      await shareAs(service, user, { project });
      const [row] = await service.database.query<{ id: string }>(
        'SELECT id FROM shares WHERE project_id = $1',
        [project],
      );
      return row?.id ?? '';
    }

    async function answer(
      link: string,
      photoId: string,
      kind: string,
      value: number | null,
      text: string | null,
    ): Promise<void> {
      await service.database.query(
        `INSERT INTO share_answers (id, share_id, photo_id, kind, value, guest_id, guest_name, upload_id, version, sha256, comment, created_at)
         VALUES ($1, $2, $3, $4, $5, 'guest', 'Mia', $3, 1, '', $6, now())`,
        [`${photoId}-${kind}`, link, photoId, kind, value, text],
      );
    }
  });
});
