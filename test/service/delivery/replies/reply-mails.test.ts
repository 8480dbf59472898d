import { expect, it } from '@jest/globals';
import { replyMails } from '../../../../service/delivery/replies/reply-mails.js';
import { Translator } from '../../../../service/kernel/i18n/translator.js';
import type { Comment, Listed } from '../../../../service/library/index.js';

const NOW = new Date('2026-11-28T12:00:00Z');
const LINK = { title: 'Coast', studio: 'North', path: '/s/1', pathOf: () => '/s/1/photo' };
const SUBSCRIPTION = {
  ...{ shareId: 'link', guestId: 'mia', email: 'mia@client.example', key: 'key' },
  ...{ locale: 'en' as const, requestedAt: NOW, confirmedAt: NOW },
};

function comment(id: string, reply: string, repliedAt: Date): Listed<Comment> {
  return {
    ...{ id, kind: 'comment', shareId: 'link', photoId: 'photo', text: id, place: {}, at: NOW },
    ...{ guest: { id: 'mia', name: 'Mia' }, version: 1, sha256: 'ab', currentVersion: 1 },
    ...{ isCurrent: true, doneAt: undefined, reply: { text: reply, by: 'Ada', at: repliedAt } },
    ...{ photoName: 'Harbour.jpg', currentId: 'photo', seenId: 'photo', source: undefined },
  };
}

it('leaves a reply that was replaced since to a later mail', async () => {
  const said = [
    comment('Too dark', 'Brighter now', NOW),
    comment('Crooked', 'Replaced', new Date(NOW.getTime() + 1)),
  ];
  const mails = replyMails({
    subscriptions: { of: () => Promise.resolve(SUBSCRIPTION) },
    answers: { ofGuest: () => Promise.resolve(said) },
    linkOf: () => Promise.resolve(LINK),
  });
  const replies = said.map(({ id }) => ({ comment: id, at: NOW.getTime() }));
  const mail = await mails
    .find(({ name }) => name === 'guest_replies')
    ?.compose(
      new Translator('en'),
      { share: 'link', guest: 'mia', key: 'key', replies },
      { baseUrl: 'https://service.example', proof: () => 'proof' },
    );
  expect(mail?.lines).toEqual(['Harbour.\u200Bjpg · “Too dark” · Ada: “Brighter now”']);
});
