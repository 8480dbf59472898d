import { describe, expect, it } from '@jest/globals';
import { Translator } from '../../../../service/kernel/i18n/translator.js';
import type { Comment } from '../../../../service/library/feedback/feedback.js';
import { commentHead, pinsOver } from '../../../../service/library/feedback/feedback-list.js';

const PINS = { low: { x: 0.25, y: 0.75 }, high: { x: 0.5, y: 0.1 } };

const COMMENTS = Object.entries(PINS).map(([id, pin]): Comment => {
  const at = new Date(0);
  return {
    ...{
      id,
      kind: 'comment',
      shareId: 'link',
      photoId: 'photo',
      guest: { id: 'mia', name: 'Mia' },
    },
    ...{ version: 1, sha256: 'ab', isCurrent: true, currentVersion: 1, at },
    ...{ text: '', place: { pin }, doneAt: undefined, reply: undefined },
  };
});

describe('the pins of comments', () => {
  it('are at their spots in a picture of any shape', () => {
    const markup = pinsOver(COMMENTS, { width: 1200, height: 800 })?.toString() ?? '';
    const places = [...markup.matchAll(/id="pin-(\w+)"\s+transform="([^"]*)"/g)];
    expect(places.map(([, id, place]) => [id, place])).toEqual([
      ['low', 'translate(300.0 600.0)'],
      ['high', 'translate(600.0 80.0)'],
    ]);
    expect(markup).toContain('viewBox="0 0 1200 800"');
  });

  it('have the number and the address of the comment that leads to them', () => {
    const markup = pinsOver(COMMENTS, { width: 3, height: 2 })?.toString() ?? '';
    const pins = [...markup.matchAll(/id="([^"]*)".*?<text[^>]*>(\d+)</gs)];
    const links = COMMENTS.map((comment) => {
      const head = commentHead(new Translator('en'), comment, COMMENTS, '/here').toString();
      return /href="\/here#([^"]*)".*?class="pin-number">(\d+)</s.exec(head) ?? [];
    });
    expect(links.map(([, ...one]) => one)).toEqual(pins.map(([, ...one]) => one));
    expect(links).toHaveLength(2);
  });
});
