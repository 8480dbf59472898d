import type { VNode } from 'preact';
import { isTransient, type CwError, type ErrorCode } from '../../util/errors.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { Button, Control, FileName, Icon } from '../../ui/controls.js';
import type { Props } from './panel.js';
import { openDeviceSheet } from '../device/index.js';
import { ErrorNotice, StatusSign } from '../../ui/notice.js';

const CODE_ENDED: ReadonlySet<ErrorCode> = new Set(['CW-102', 'CW-103', 'CW-106', 'CW-107']);

/** Whether a new code is all that the user needs after this error. */
export function needsNewCode({ code }: CwError): boolean {
  return CODE_ENDED.has(code);
}

/** The view when not connected: a welcome, a request to reconnect, or the reason of a failed sign-in. */
export function Welcome({ context, state }: Props): VNode {
  const { strings, signIn, on } = context;
  const { session, uploadState, summary } = state;
  const reconnecting = session.kind === 'reconnect-needed';
  const ended = state.signIn.kind === 'ended' ? state.signIn.error : null;
  // What failed is not uploaded by connecting, but stays, and is in the question that follows.
  const kept = summary.waiting + summary.uploading + (uploadState.willAsk ? summary.failed : 0);
  const label =
    ended && needsNewCode(ended)
      ? strings.getNewCode
      : reconnecting
        ? strings.reconnect
        : strings.connect;
  return (
    <div class="view">
      {reconnecting ? (
        <div class="headline">
          <StatusSign mark="error" />
          <div class="title">{strings.reconnectTitle}</div>
        </div>
      ) : (
        <div class="title">{strings.welcomeTitle}</div>
      )}
      {!reconnecting && ended === null && <div class="text">{strings.welcomeText}</div>}
      {ended ? (
        <ErrorNotice
          {...{ strings }}
          error={ended}
          title={endedTitle(ended.code, strings)}
          more={isTransient(ended) ? [strings.connectAgain] : []}
        />
      ) : (
        // No title: the headline shows it.
        reconnecting && <ErrorNotice strings={strings} error={session.error} />
      )}
      {kept > 0 && (
        <div class="text strong">
          {strings.count(uploadState.willAsk ? 'photosAsk' : 'photosSafe', kept)}
        </div>
      )}
      <Button on={on} kind="cta" wide focusOrder={3} label={label} press={() => signIn.start()} />
      {state.device && (
        <Control
          class="choice computer-line"
          on={on}
          press={() => {
            openDeviceSheet(context);
          }}
        >
          <div class="to-word">{strings.thisComputer}</div>
          <FileName class="to-name" name={state.device.name} />
          <Icon name="right" />
        </Control>
      )}
    </div>
  );
}

/** The title for the error that a sign-in has ended with. */
export function endedTitle(code: ErrorCode, strings: Translations): string {
  const titles: Partial<Record<ErrorCode, string>> = {
    'CW-102': strings.expiredTitle,
    'CW-103': strings.deniedTitle,
    'CW-107': strings.wrongNumberTitle,
    'CW-108': strings.notAllowedTitle,
  };
  return titles[code] ?? strings.failedTitle;
}
