import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '../../../service/app/events.js';
import { noticeAdvice, noticesOf } from '../../../service/identity/notices/notice-words.js';
import { verbatim } from '../../../service/kernel/html-tag.js';
import { LANGUAGES, type Language } from '../../../service/kernel/i18n/locale-negotiation.js';
import { Translator } from '../../../service/kernel/i18n/translator.js';

const NAMES = Object.keys(LANGUAGES);

describe('the events of all modules', () => {
  it('have one type and one action each, below their kind', () => {
    const types = EVENTS.map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
    expect(new Set(EVENTS.map(({ action }) => action)).size).toBe(types.length);
    expect(EVENTS.filter(({ type, kind }) => !type.startsWith(`${kind.name}.`))).toEqual([]);
  });

  it.each(NAMES)('have a complete sentence in the language %s', (language) => {
    const translator = new Translator(language as Language);
    for (const { type, kind, example, sentence } of EVENTS) {
      const person = { by: verbatim('Ada'), user: verbatim('Ben'), isBySystem: false };
      const name = verbatim(String(example['name'] ?? '?'));
      const texts = [
        translator.t(kind.label),
        ...[example, {}].map((about) =>
          String(sentence?.(translator, { ...person, name, about }) ?? '-'),
        ),
      ];
      expect([type, texts.filter((text) => text === '' || /[{}]|undefined/.test(text))]).toEqual([
        type,
        [],
      ]);
    }
  });

  it.each(NAMES)('have complete notices in the language %s', (language) => {
    const translator = new Translator(language as Language);
    for (const notice of noticesOf(EVENTS).values()) {
      const messages = [notice.message(() => undefined), notice.message((name) => `the ${name}`)];
      const texts = [...messages, noticeAdvice(notice)].map((one) => translator.format(one));
      expect([notice.kind, texts.filter((text) => text === '' || /[{}]/.test(text))]).toEqual([
        notice.kind,
        [],
      ]);
      expect(notice.path).toMatch(/^\/settings\//);
    }
  });
});
