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
import { kindOf, Picture } from '../../ui/picture.js';
import { useUploadPicture } from '../pictures/index.js';
import { AllowInBrowser } from '../sign-in/index.js';
import type { DocumentWords } from './comments-in-document.js';
import type { ShownEntry } from './document-feedback.js';
import type { FeedbackEntry } from './feedback-entry.js';
import { InDocument } from './in-document.js';
import type { Context, Props } from './panel.js';

/** What guests said about the open document. It takes the place of the list. */
export function FeedbackSheet({ context, state }: Props): VNode {
  const { strings, actions, change, on } = context;
  const { entries, needsPermission } = state.documentFeedback;
  const { inDocument } = state;
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
        <AllowInBrowser
          context={context}
          words={strings.feedbackPermission}
          scope={FEEDBACK_SCOPE}
        />
      )}
      <InDocument {...{ context, state }} words={wordsOf(strings)} />
      {entries.length === 0 && <div class="empty">{strings.noComments}</div>}
      {entries.map((entry) => (
        <Entry
          key={entry.id}
          {...{ context, entry }}
          number={inDocument.numbers.get(entry.id) ?? null}
          canGoTo={inDocument.canGoTo && hasPlace(entry)}
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
  number,
  canGoTo,
  isNew,
  now,
}: {
  readonly context: Context;
  readonly entry: ShownEntry;
  /** Of the comment in the document; null when it is not shown there. */
  readonly number: number | null;
  /** Whether the app may show the place. */
  readonly canGoTo: boolean;
  readonly isNew: boolean;
  readonly now: number;
}): VNode {
  const { strings, actions, on } = context;
  const { id, kind, guest, text, isDone, isCurrent, version, reply, isWaiting } = entry;
  const picture = useUploadPicture(context, entry.upload, entry.place.page ?? null);
  const [draft, setDraft] = useState<string | null>(null);
  const place = placeText(strings, entry);
  const send = async (): Promise<void> => {
    const typed = (draft ?? '').trim();
    setDraft(null);
    if (typed !== '') {
      await actions.replyToFeedback(id, typed);
    }
  };
  const goToPlace = async (): Promise<void> => {
    if (!canGoTo || !(await actions.goToFeedback(entry))) {
      await actions.openPage(entry.pageUrl);
    }
  };
  return (
    <div class={isDone ? 'feedback-entry is-done' : 'feedback-entry'}>
      <div class="feedback-head">
        <Picture source={picture} class="feedback-picture" kind={kindOf(entry.name)} />
        <div class="feedback-about">
          <div class="feedback-guest">
            {number !== null && <div class="feedback-number">{number}</div>}
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
      <Control class="feedback-place" on={on} press={goToPlace}>
        {place}
        <Icon name={canGoTo ? 'right' : 'external'} />
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

/** Such as "Page 3" or "1:02:03"; for the file as a whole, that it opens in the browser. */
function placeText(strings: Translations, { place }: ShownEntry): string {
  if (place.page !== undefined) {
    return strings.fill('pageNumber', { page: String(place.page) });
  }
  if (place.start !== undefined) {
    return timeText(place.start);
  }
  return place.spot ? strings.spot : strings.showInBrowser;
}

/** A time as the pages of the service show it. @param seconds of which parts are left out */
function timeText(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const parts = hours > 0 ? [String(hours), padded(minutes)] : [String(minutes)];
  return [...parts, padded(whole % 60)].join(':');
}

function padded(number: number): string {
  return String(number).padStart(2, '0');
}

function hasPlace({ place }: FeedbackEntry): boolean {
  return Object.keys(place).length > 0;
}

/** The texts that end up in the document. */
function wordsOf(strings: Translations): DocumentWords {
  const versionOf = ({ version, isCurrent }: FeedbackEntry): string =>
    isCurrent ? `v${version}` : strings.fill('aboutVersion', { version: String(version) });
  return {
    titleOf: (entry) => `${entry.guest} · ${versionOf(entry)}`,
    nameOf: (entries) => {
      const versions = [...new Set(entries.map(({ version }) => `v${version}`))].sort();
      const links = [...new Set(entries.flatMap(({ link }) => link?.slice(0, 6) ?? []))];
      return [strings.clientComments, versions.join(' '), links.slice(0, 3).join(' ')]
        .filter((part) => part !== '')
        .join(' · ');
    },
  };
}
