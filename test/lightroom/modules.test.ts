import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import english from '../../src/ui/i18n/en.js';
import { Lightroom, translations } from './lightroom.js';

const ROOT = path.join(import.meta.dirname, '../..');
const PLUGIN = path.join(ROOT, 'lightroom/creative-workspace.lrplugin');
const LANGUAGES = { de: 'de', es: 'es', fr: 'fr', ja: 'ja', pt: 'pt-BR' } as const;
/** Sentences that name buttons or steps of the panel have another text here. */
const OWN_SENTENCES = ['306', '602', '604', '605', '606', '612', '620'];

describe('the modules of the Lightroom plug-in', () => {
  let lightroom: Lightroom;
  beforeAll(async () => {
    lightroom = await Lightroom.start({ config: {} });
  });
  afterAll(() => {
    lightroom.close();
  });

  it.each([
    [
      String.raw`{"a":[1,-2.5e1,true,null,"\u00e9\n"],"b":{}}`,
      '{"a":[1,-25,true,null,"é\\u000a"],"b":{}}',
    ],
    [String.raw`"\ud83d\ude00 \ud83d"`, '"😀 �"'],
    ['{"a":1', 'nil'],
    ['[1,]', 'nil'],
    ['{"a" 1}', 'nil'],
    ['"a\nb"', 'nil'],
    ['01x', 'nil'],
    ['{} {}', 'nil'],
    ['['.repeat(100), 'nil'],
    ['<html>', 'nil'],
  ])('reads %s as JSON', (text, expected) => {
    lightroom.set('prefs', 'text', text);
    const value = lightroom.read(`(function()
      local Json = require('Json')
      local value = Json.decode(sdk.state.prefs.text)
      return value == nil and 'nil' or Json.encode(value)
    end)()`);
    expect(value).toBe(expected);
  });

  it.each([
    ['/oauth/device', 'https://w.example/oauth/device'],
    ['https://w.example/oauth/device?user_code=A', 'https://w.example/oauth/device?user_code=A'],
    ['https://w.example.evil.example/x', 'nil'],
    ['https://w.example@evil.example/', 'nil'],
    ['//evil.example/x', 'nil'],
    ['http://w.example/x', 'nil'],
    ['javascript:alert(1)', 'nil'],
    ['https://w.example/a b', 'nil'],
  ])('opens %s at the own origin only', (address, expected) => {
    expect(
      lightroom.read(`require('DeviceGrant').ownAddress('${address}', 'https://w.example')`),
    ).toBe(expected);
  });

  it.each([
    // Waits, in seconds, for answers to polls with an interval of 5: 5 % more than required.
    ['pending', ['authorization_pending', 'authorization_pending'], '5.25 5.25 5.25'],
    ['slow_down', ['slow_down', 'authorization_pending'], '5.25 10.5 10.5'],
    ['no answer', ['', '', ''], '5.25 10 15 15'],
    ['Retry-After', ['429', 'authorization_pending'], '5.25 40 5.25'],
  ])('waits at least the interval after %s', (_name, answers, expected) => {
    const list = answers.map((answer) => `'${answer}'`).join(', ');
    const waits = lightroom.read(`(function()
      local answers, waits, now = { ${list} }, {}, 0
      local options = {
        baseUrl = 'https://w.example', clientId = 'x', now = function() return now end,
        sleep = function(seconds) now = now + seconds waits[#waits + 1] = string.format('%g', seconds) end,
        isCancelled = function() return false end, chosenNumber = function() end, onNumbers = function() end,
        send = function()
          local answer = table.remove(answers, 1)
          if answer == '' then return nil, { code = 'CW-301', isTransient = true } end
          if answer == '429' then
            return { status = 429, body = '', header = function(name) return name == 'Retry-After' and '40' or nil end }
          end
          local body = answer and '{"error":"' .. answer .. '"}' or '{"access_token":"svc_at_x"}'
          return { status = answer and 400 or 200, body = body, header = function() end }
        end,
      }
      local tokens = require('DeviceGrant').poll(options, { interval = 5, deviceCode = 'd', expiresAt = 900 })
      return tokens.access == 'svc_at_x' and table.concat(waits, ' ')
    end)()`);
    expect(waits).toBe(expected);
  });

  it('ends the polling when the code expires', () => {
    const outcome = lightroom.read(`(function()
      local now, sent = 0, 0
      local _, problem = require('DeviceGrant').poll({
        baseUrl = '', clientId = 'x', now = function() return now end,
        sleep = function(seconds) now = now + seconds end,
        isCancelled = function() return false end, chosenNumber = function() end, onNumbers = function() end,
        send = function()
          sent = sent + 1
          return { status = 400, body = '{"error":"authorization_pending"}', header = function() end }
        end,
      }, { interval = 5, deviceCode = 'd', expiresAt = 20 })
      return problem.code .. ' after ' .. now .. ' s and ' .. sent .. ' polls'
    end)()`);
    expect(outcome).toBe('CW-102 after 20 s and 3 polls');
  });

  it.each([
    ['the most stars of several guests', `stars(3) stars(5) stars(4)`, '{"rating":5}'],
    ['a favourite as a flag and five stars', `add('favourite')`, '{"pick":1,"rating":5}'],
    ['the stars of a favourite', `add('favourite') stars(2)`, '{"pick":1,"rating":2}'],
    ['an approval as green', `add('approval')`, '{"label":"green"}'],
    [
      'a request for changes before an approval',
      `add('approval') add('changes')`,
      '{"label":"red"}',
    ],
    ['a label before an approval', `add('approval') label(4)`, '{"label":"blue"}'],
    [
      'nothing that was withdrawn',
      `add('approval', { withdrawn = 'x' }) add('changes', { withdrawn = 'x' })`,
      '[]',
    ],
    [
      'the newest label',
      `label(1, '2026-01-02') label(5, '2026-01-03') label(2, '2026-01-01')`,
      '{"label":"purple"}',
    ],
    ['no more stars than five', `stars(9)`, '{"rating":5}'],
    [
      'open comments',
      `comment('Ada', 'Darker') comment('Bo', 'x', true) comment('', 'Yes')`,
      '{"comments":"Ada: Darker\\u000aYes"}',
    ],
  ])('takes %s', (_name, feedback, expected) => {
    expect(planned(feedback, '{}', false)).toBe(`${expected} false`);
  });

  it.each([
    ['stars(3)', '{ rating = 4 }', false, '[] true'],
    ['stars(3)', '{ rating = 4 }', true, '{"rating":3} false'],
    ['stars(3)', '{ rating = 3 }', true, '[] false'],
    ['label(1)', `{ label = 'blue' }`, false, '[] true'],
    ['label(1)', `{ label = 'blue' }`, true, '{"label":"red"} false'],
    ['label(1)', `{ label = 'red' }`, true, '[] false'],
    [`add('favourite')`, '{ pick = -1, rating = 5 }', false, '[] true'],
    [`add('favourite')`, '{ pick = -1, rating = 5 }', true, '{"pick":1} false'],
    [`add('favourite')`, '{ pick = 1, rating = 5 }', true, '[] false'],
    [
      `add('favourite')`,
      `{ comments = 'old', rating = 5 }`,
      false,
      '{"comments":"","pick":1} false',
    ],
  ])('plans %s for a photo with %s (replace: %s)', (feedback, current, isReplacing, expected) => {
    expect(planned(feedback, current, isReplacing)).toBe(expected);
  });

  /** Plans the changes of one photo from feedback; as JSON, and whether something was kept. */
  function planned(feedback: string, current: string, isReplacing: boolean): string {
    return lightroom.read(`(function()
      local entries = {}
      local function add(kind, members)
        local entry = members or {}
        entry.kind, entry.photo, entry.name, entry.link = kind, 'p', 'A.jpg', 'l'
        entries[#entries + 1] = entry
      end
      local function stars(count) add('stars', { stars = count }) end
      local function label(number, at) add('label', { label = number, at = at }) end
      local function comment(guest, text, done) add('comment', { guest = { name = guest }, text = text, done = done }) end
      ${feedback}
      local Selects = require('Selects')
      local selects = Selects.collect(entries)
      local changes, kept = Selects.plan(${current}, { selects.p }, Selects.comments(entries), ${isReplacing})
      return (next(changes) and require('Json').encode(changes) or '[]') .. ' ' .. tostring(kept)
    end)()`);
  }

  it('finds photos by identity, then by name, then by document, and lists the others', () => {
    const found = lightroom.read(`(function()
      local Selects = require('Selects')
      local entries = {}
      for id, name in pairs({ a = 'New name.jpg', b = 'img_2.jpg', c = 'Renamed.jpg', d = 'Twin.jpg', e = 'Gone.jpg', f = 'Twin2.tif' }) do
        entries[#entries + 1] = { photo = id, name = name, kind = 'stars', stars = 1 }
      end
      table.sort(entries, function(a, b) return a.photo < b.photo end)
      local asked = {}
      local selects, order = Selects.collect(entries)
      local matches, missing, ambiguous = Selects.match(selects, order, {
        remote = { a = { 'photo 1' } },
        exact = { ['img_2.cr3'] = { 'photo 2' }, ['twin2.tif'] = { 'photo 6' }, ['twin.cr3'] = { 'x' } },
        base = { img_2 = { 'photo 2' }, twin = { 'x', 'y' }, twin2 = { 'photo 6', 'z' } },
      }, string.lower, function(id)
        asked[#asked + 1] = id
        return id == 'c' and 'photo 3' or nil
      end)
      local lines = {}
      for _, match in ipairs(matches) do lines[#lines + 1] = match.photo end
      return table.concat(lines, ',') .. '|' .. table.concat(missing, ',') .. '|' .. table.concat(ambiguous, ',')
        .. '|' .. table.concat(asked, ',')
    end)()`);
    expect(found).toBe('photo 1,photo 2,photo 3,photo 6|Gone.jpg|Twin.jpg|c,d,e');
  });

  it('cuts comments between characters, to what a searchable field holds', () => {
    lightroom.set('prefs', 'long', 'é'.repeat(400));
    const text = lightroom.read(`require('Selects').comments({
      { kind = 'comment', photo = 'p', guest = { name = 'Al' }, text = sdk.state.prefs.long },
    }).p`);
    expect(text).toMatch(/^Al: é+…$/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(511);
    expect(Buffer.byteLength(text)).toBeGreaterThan(505);
  });

  it('gives two links of one day different collections, whichever is listed first', () => {
    const names = (order: string): string =>
      lightroom.read(`(function()
        local a = { id = 'aaaaaaaa1', name = 'Coast', created = '2026-11-28T10:00:00Z' }
        local b = { id = 'bbbbbbbb1', name = 'Coast', created = '2026-11-28T11:00:00Z' }
        local names = require('Selects').collectionNames({ ${order} }, function(name, part) return name .. ' ' .. part end)
        return names.aaaaaaaa1 .. '|' .. names.bbbbbbbb1
      end)()`);
    expect(names('a, b')).toBe('Coast 2026-11-28|Coast 2026-11-28 bbbbbbbb');
    expect(names('b, a')).toBe(names('a, b'));
  });

  it.each(['', 'f', 'fo', 'foo', 'foob', '\0ÿ\0'])('writes %j in base64', (text) => {
    lightroom.set('prefs', 'text', text);
    expect(lightroom.read(`require('Base64').encode(sdk.state.prefs.text)`)).toBe(
      Buffer.from(text).toString('base64'),
    );
  });

  it('has 64 characters at most in the id of an upload, from which the photo is found', () => {
    const uuid = '01234567-89AB-CDEF-0123-456789ABCDEF';
    const id = lightroom.read(
      `require('Identity').uploadId('${uuid}', '0123456789abcdef0123456789abcdef')`,
    );
    expect(id).toMatch(/^[A-Za-z0-9_-]{16,64}$/);
    expect(lightroom.read(`require('Identity').uuidOf('${id}')`)).toBe(uuid);
    expect(lightroom.read(`require('Identity').uuidOf('0123456789abcdef_other')`)).toBe('nil');
  });

  describe('texts', () => {
    const keys = (): string[] =>
      lightroom
        .read(
          `(function() local keys = {} for key in pairs(require('Texts').english) do keys[#keys + 1] = key end
            table.sort(keys) return table.concat(keys, ' ') end)()`,
        )
        .split(' ');
    const placeholders = (text: string): string[] => (text.match(/\^\d/g) ?? []).sort();
    const textOf = (key: string): string => lightroom.read(`require('Texts').english['${key}']`);

    it.each(Object.keys(LANGUAGES))('are all in %s, with the same placeholders', (language) => {
      const texts = translations(language);
      expect([...texts.keys()].map((key) => key.split('/')[1]).sort()).toEqual(keys());
      for (const key of keys()) {
        const text = texts.get(`CreativeWorkspace/${key}`) ?? '';
        expect([key, placeholders(text)]).toEqual([key, placeholders(textOf(key))]);
      }
    });

    it('are all used', () => {
      const code = readdirSync(PLUGIN)
        .filter((name) => name.endsWith('.lua') && name !== 'Texts.lua')
        .map((name) => readFileSync(path.join(PLUGIN, name), 'utf8'))
        .join('\n');
      const unused = keys().filter(
        (key) =>
          !key.startsWith('error') && !code.includes(`'${key}'`) && !code.includes(`/${key}=`),
      );
      expect(unused).toEqual([]);
      const used = [...code.matchAll(/Texts\.get\('(\w+)'/g)].map(([, key]) => key);
      expect(used.filter((key) => !keys().includes(key ?? ''))).toEqual([]);
    });

    it('have the sentences of the panel, in all languages', () => {
      const panel = (language: string): Record<string, string> =>
        JSON.parse(
          readFileSync(path.join(ROOT, `src/static/locales/${language}.json`), 'utf8'),
        ) as Record<string, string>;
      const errors = keys().filter((key) => key.startsWith('error'));
      for (const key of errors.filter((name) => !OWN_SENTENCES.includes(name.slice(5)))) {
        const code = `CW-${key.slice(5)}`;
        const sentence = lightroom.read(`require('Texts').problem({ code = '${code}' })`);
        expect(sentence).toBe(`${(english as Record<string, unknown>)[code] as string} (${code})`);
        for (const [language, locale] of Object.entries(LANGUAGES)) {
          expect(translations(language).get(`CreativeWorkspace/${key}`)).toBe(panel(locale)[code]);
        }
      }
    });

    it('are shown in the language of Lightroom', async () => {
      const japanese = await Lightroom.start({ config: {}, language: 'ja' });
      expect(japanese.read(`require('Texts').get('summaryChanged', '3')`)).toBe('変更：3');
      japanese.close();
    });
  });

  it('is Lua 5.1, with the scripts that Info.lua names', () => {
    const names = readdirSync(PLUGIN).filter((name) => name.endsWith('.lua'));
    for (const name of names) {
      expect([name, lightroom.read(`sdk.syntaxError('${name.slice(0, -4)}')`)]).toEqual([
        name,
        'nil',
      ]);
    }
    const scripts = lightroom.read(`(function()
      local info = require('Info')
      return table.concat({ info.LrExportServiceProvider.file, info.LrMetadataProvider, info.LrLibraryMenuItems[1].file,
        info.LrToolkitIdentifier }, ' ')
    end)()`);
    const [id = '', ...files] = scripts.split(' ').reverse();
    expect(names).toEqual(expect.arrayContaining(files));
    expect(lightroom.read('sdk.plugin.id')).toBe(id);
  });

  it('refuses in the simulated SDK what the documents do not have', async () => {
    const refusals = [
      `import('LrHttp').put('x')`,
      `import('LrSecrets')`,
      `os.execute('x')`,
      `import('LrHttp').get('https://w.example')`,
      `import('LrPasswords').store('a', 1)`,
      `undefinedName()`,
      `import('LrView').osFactory():push_button { text = 'x' }`,
      `import('LrTasks').sleep(1)`,
    ];
    for (const refusal of refusals) {
      expect(() => lightroom.read(`(function() ${refusal} end)()`)).toThrow();
    }
    lightroom.read(`sdk.addPhoto({ fileName = 'A.CR3', uuid = 'u' })`);
    const inTask = [
      `sdk.state.photos[1]:setRawMetadata('rating', 3)`,
      `import('LrApplication').activeCatalog():withWriteAccessDo('x', function() import('LrTasks').sleep(1) end)`,
      `pcall(function() import('LrTasks').yield() end) error('after a yield in pcall')`,
    ];
    for (const source of inTask) {
      expect(
        await lightroom.evaluate(
          `local ok = import('LrTasks').pcall(function() ${source} end) return ok`,
        ),
      ).toBe('false');
    }
  });
});
