import type { VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { FEEDBACK_SCOPE } from '../../account/service-access.js';
import {
  Button,
  Buttons,
  Control,
  FileName,
  Icon,
  SheetHead,
  TextField,
} from '../../ui/controls.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { shortTime } from '../../ui/local-time.js';
import { Picture } from '../../ui/picture.js';
import { useDocumentPicture } from '../documents/index.js';
import type { ShownEntry } from './document-feedback.js';
import type { Context, Props } from './panel.js';

/** What guests said about the open document. It takes the place of the list. */
export function FeedbackSheet({ context, state }: Props): VNode {
  const { strings, actions, signIn, change, on } = context;
  const { entries, needsPermission } = state.documentFeedback;
  const document = state.openDocument?.document ?? null;
  const picture = useDocumentPicture(document, on.onUnexpectedError);
  /** Those that were new when they appeared here: they stay marked while the list is open. */
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const added = entries.filter(({ isNew }) => isNew).map(({ id }) => id);
  useLayoutEffect(() => {
    if (added.length > 0) {
      setFresh(new Set([...fresh, ...added]));
      actions.markFeedbackSeen().catch(on.onUnexpectedError);
    }
  }, [added.join()]);
  return (
    <div class="sheet scroll">
      <SheetHead
        on={on}
        title={strings.clientComments}
        label={strings.done}
        press={() => {
          change({ sheet: null });
        }}
      />
      {needsPermission && (
        <>
          <div class="text">{strings.feedbackPermission}</div>
          <Button
            on={on}
            kind="cta"
            wide
            label={strings.openBrowser}
            press={() => {
              signIn.startForScope(FEEDBACK_SCOPE);
            }}
          />
        </>
      )}
      {entries.length === 0 && <div class="empty">{strings.noComments}</div>}
      {entries.map((entry) => (
        <Entry
          key={entry.id}
          {...{ context, entry, picture }}
          isNew={entry.isNew || fresh.has(entry.id)}
          now={state.now}
        />
      ))}
    </div>
  );
}

function Entry({
  context,
  entry,
  picture,
  isNew,
  now,
}: {
  readonly context: Context;
  readonly entry: ShownEntry;
  readonly picture: string | null;
  readonly isNew: boolean;
  readonly now: number;
}): VNode {
  const { strings, actions, on } = context;
  const { id, kind, guest, text, isDone, isCurrent, version, reply, isWaiting } = entry;
  const [draft, setDraft] = useState<string | null>(null);
  const place = placeText(strings, entry);
  const send = async (): Promise<void> => {
    const typed = (draft ?? '').trim();
    setDraft(null);
    if (typed !== '') {
      await actions.replyToFeedback(id, typed);
    }
  };
  return (
    <div class={isDone ? 'feedback-entry is-done' : 'feedback-entry'}>
      <div class="feedback-head">
        <Picture source={picture} class="feedback-picture" />
        <div class="feedback-about">
          <div class="feedback-guest">
            {isNew && <div class="feedback-new">{strings.newMark}</div>}
            {guest}
          </div>
          <FileName name={entry.name} class="detail" />
          <div class="detail">
            {[
              shortTime(strings, entry.at, now),
              isCurrent
                ? `v${version}`
                : strings.fill('aboutVersion', { version: String(version) }),
              ...(isDone ? [strings.commentDone] : []),
              ...(isWaiting ? [strings.notSentYet] : []),
            ].join(' · ')}
          </div>
        </div>
      </div>
      <Control class="feedback-place" on={on} press={() => actions.openPage(entry.pageUrl)}>
        {place}
        <Icon name="external" />
      </Control>
      <div class="feedback-text">{kind === 'changes' ? strings.changesRequested : text}</div>
      {reply !== null && <div class="feedback-reply">{reply}</div>}
      {kind === 'comment' &&
        (draft === null ? (
          <Buttons>
            <Button
              on={on}
              kind="action"
              label={isDone ? strings.reopenComment : strings.markAsDone}
              press={() => actions.markFeedback(id, !isDone)}
            />
            <Button
              on={on}
              kind="action"
              label={strings.replyToComment}
              press={() => {
                setDraft(reply ?? '');
              }}
            />
          </Buttons>
        ) : (
          <>
            <TextField
              name={strings.replyToComment}
              value={draft}
              onText={setDraft}
              onEnter={() => {
                send().catch(on.onUnexpectedError);
              }}
              autofocus
            />
            <Buttons>
              <Button on={on} kind="action" label={strings.sendReply} press={send} />
              <Button
                on={on}
                kind="quiet"
                label={strings.cancel}
                press={() => {
                  setDraft(null);
                }}
              />
            </Buttons>
          </>
        ))}
    </div>
  );
}

/** Such as "Page 3" or "0:42"; for the file as a whole, that it opens in the browser. */
function placeText(strings: Translations, { place }: ShownEntry): string {
  if (place.page !== undefined) {
    return strings.fill('pageNumber', { page: String(place.page) });
  }
  if (place.start !== undefined) {
    const whole = Math.floor(place.start);
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
  }
  return place.hasSpot === true ? strings.spot : strings.showInBrowser;
}
