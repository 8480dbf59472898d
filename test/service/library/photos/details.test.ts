import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ImageInfo } from '../../../../service/library/previews/image-info.js';
import { ThumbnailTable } from '../../../../service/library/previews/thumbnail-table.js';
import type { TestBrowser } from '../../support/browser-client.js';
import { authorization, photo } from '../../support/tus-client.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import { useService } from '../../support/use-service.js';

const FACTS: ImageInfo = {
  capturedAt: '2026-05-01T10:20:30+02:00',
  info: {
    camera: 'Canon EOS R5',
    lens: 'RF85mm F1.2 L USM',
    exposure: { time: 0.004, aperture: 2.8, iso: 12_800, focalLength: 85 },
    title: 'Harbour <script>alert(1)</script>',
    caption: 'First line\n\u{202e}second <b>line',
    keywords: ['Möwe', 'sea & sky'],
    creator: 'Anna',
    copyright: '© Anna',
    rating: 4,
    hasLocation: true,
  },
};

describe('information in a file about its picture', () => {
  let browser: TestBrowser;
  let token: string;
  let id: string;
  let plain: string;

  const service = useService();
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    const user = await addUser(service, { [workspaceId]: 'owner' });
    token = await connectAs(service, user);
    id = await send(service, token, 'DSC_1.jpg', photo(10));
    plain = await send(service, token, 'Other.jpg', photo(11));
    await new ThumbnailTable(service.database).saveFacts(id, 'image/jpeg', FACTS);
    browser = await openSettings(service, user, '/photos');
  });

  const details = async (one: string, language: string): Promise<string> => {
    const answer = await fetch(`${service.baseUrl}/photos/${one}`, {
      headers: { cookie: browser.sessionCookie, 'accept-language': language },
    });
    const [, list = ''] = /<dl>([\s\S]*?)<\/dl>/.exec(await answer.text()) ?? [];
    return list;
  };
  const textOf = (markup: string): string =>
    markup.replace(/<[^>]*>/g, ' ').replace(/[^\S\u{a0}]+/gu, ' ');

  it('is on the page of the photo, as text', async () => {
    const markup = await details(id, 'en');
    const text = textOf(markup);
    for (const part of [
      'Title Harbour &lt;script&gt;alert(1)&lt;/script&gt;',
      'Camera Canon EOS R5',
      'Lens RF85mm F1.2 L USM',
      'Exposure 1/250\u{a0}s · ƒ/2.8 · ISO\u{a0}12800 · 85\u{a0}mm',
      'Creator Anna',
      'Copyright © Anna',
      'Rating ★★★★☆',
      'Location The file contains it.',
    ])
      expect(text).toContain(part);
    expect(markup).not.toContain('<script');
    expect(markup).toContain('<bdi>\u{202e}second &lt;b&gt;line</bdi>');
    expect(markup).toContain('aria-label="4 of 5 stars"');
    expect(markup).toContain('q=sea+%26+sky');
  });

  it('is written in the language of the reader', async () => {
    expect(textOf(await details(id, 'de'))).toContain('Belichtung 1/250\u{a0}s · ƒ/2,8 · ISO');
    expect(await details(id, 'ja')).toContain('aria-label="4/5"');
  });

  it('has what is known of a film', async () => {
    const film = await send(service, token, 'Trailer.mov', photo(12));
    await new ThumbnailTable(service.database).saveFacts(film, 'video/quicktime', {
      media: {
        ...{ kind: 'video', duration: 92.04, frameRate: 29.97 },
        ...{ videoCodec: 'hevc', audioCodec: 'aac', isHdr: true },
      },
    });
    const text = textOf(await details(film, 'de'));
    for (const part of ['Dauer 1:32', 'Bildrate 29,97 Bilder/s', 'Video HEVC, HDR', 'Ton AAC'])
      expect(text).toContain(part);
    const found = await browser.open('/photos?type=video');
    expect([found.markup.includes(film), found.markup.includes(plain)]).toEqual([true, false]);
  });

  it('leaves out what is not known', async () => {
    const text = textOf(await details(plain, 'en'));
    for (const name of ['Title', 'Camera', 'Exposure', 'Keywords', 'Rating', 'Location'])
      expect(text).not.toContain(`${name} `);
  });

  it.each(['möwe', 'MO\u{308}WE', 'canon eos', 'rf85', 'alert(1)', 'second', 'dsc_1'])(
    'is found by %s',
    async (word) => {
      const found = await browser.open(`/photos?q=${encodeURIComponent(word)}`);
      expect([found.markup.includes(id), found.markup.includes(plain)]).toEqual([true, false]);
    },
  );

  it('is in the API, which describes it', async () => {
    const get = async (path: string): Promise<Record<string, unknown>> => {
      const answer = await fetch(service.baseUrl + path, { headers: authorization(token) });
      return (await answer.json()) as Record<string, unknown>;
    };
    const one = await get(`/api/v1/uploads/${id}`);
    expect(one['picture']).toEqual({
      ...{ camera: 'Canon EOS R5', lens: 'RF85mm F1.2 L USM', exposure_time: 0.004 },
      ...{ aperture: 2.8, iso: 12_800, focal_length: 85, title: FACTS.info?.title },
      ...{ caption: FACTS.info?.caption, keywords: ['Möwe', 'sea & sky'], creator: 'Anna' },
      ...{ copyright: '© Anna', rating: 4, has_location: true },
    });
    const description = await get('/api/v1/openapi.json');
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(description, 'api');
    for (const upload of [one, await get(`/api/v1/uploads/${plain}`)])
      expect([ajv.validate('api#/components/schemas/Upload', upload), ajv.errors]).toEqual([
        true,
        null,
      ]);
  });

  it('orders the photo by its time of capture, in UTC where it has no zone', async () => {
    const takenAt = async (facts: ImageInfo): Promise<unknown> => {
      await new ThumbnailTable(service.database).saveFacts(plain, 'image/jpeg', facts);
      const [row] = await service.database.query<{ taken: Date; sent: Date }>(
        'SELECT taken_at AS taken, finished_at AS sent FROM uploads WHERE id = $1',
        [plain],
      );
      return row?.taken.getTime() === row?.sent.getTime() ? 'sent' : row?.taken.toISOString();
    };
    expect(await takenAt({ capturedAt: '2026-05-01T10:20:30+02:00' })).toBe(
      '2026-05-01T08:20:30.000Z',
    );
    expect(await takenAt({ capturedAt: '2026-05-01T10:20:30' })).toBe('2026-05-01T10:20:30.000Z');
    expect(await takenAt({})).toBe('sent');
  });
});
