import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { openMenu } from '../../ui/menu-layer.js';
import { Button, Buttons, Control, FileName, Icon, SheetHead } from '../../ui/controls.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { shortTime } from '../../ui/local-time.js';
import { ErrorNotice } from '../../ui/notice.js';
import { Tick } from '../../ui/tick.js';
import type { ViewContext } from '../../ui/view.js';
import { AllowInBrowser } from '../sign-in/index.js';
import type { Context, Props, SelectsNeeds } from './panel.js';
import type { FailureReason, SelectsLink, SelectsResult, SelectsState } from './selects-state.js';

/** Longer lists of names are cut. */
const MAX_NAMES = 100;

export function openSelects({ change }: Pick<ViewContext<SelectsNeeds>, 'change'>): void {
  change({ sheet: (props) => <SelectsSheet {...props} />, selection: null });
}

/** Writes what clients chose into files of a folder. It takes the place of the list. */
function SelectsSheet({ context, state }: Props): VNode {
  const { strings, change, on } = context;
  const { selects, sharing } = state;
  const { missingScopes, error } = selects;
  const scopes =
    missingScopes === '' && sharing === 'needs-permission' ? 'shares:write' : missingScopes;
  return (
    <div class="sheet scroll">
      <SheetHead
        on={on}
        title={strings.getSelects}
        label={strings.done}
        press={() => {
          change({ sheet: null });
        }}
      />
      {scopes === '' ? (
        <Work {...{ context, state }} />
      ) : (
        <AllowInBrowser context={context} words={strings.selectsPermission} scope={scopes} />
      )}
      {error && <ErrorNotice {...{ strings, error }} />}
    </div>
  );
}

function Work({ context, state }: Props): VNode {
  const { strings, actions, on } = context;
  const { selects, now } = state;
  const { link, folder, isReplacing, isIntoFiles, steps, result } = selects;
  return (
    <>
      <div class="text">{strings.selectsText}</div>
      <LinkChoice {...{ context, link, now }} />
      <Control class="choice" on={on} press={() => actions.chooseSelectsFolder()}>
        <div class="to-word">{strings.selectsFolder}</div>
        <div class="to-name">{folder ?? strings.chooseFolder}</div>
        <Icon name="down" />
      </Control>
      <Tick
        {...{ strings, on }}
        label={strings.replaceMarks}
        isTicked={isReplacing}
        change={(isTicked) => {
          actions.setReplacing(isTicked).catch(on.onUnexpectedError);
        }}
      />
      <Tick
        {...{ strings, on }}
        label={strings.marksIntoFiles}
        isTicked={isIntoFiles}
        change={(isTicked) => {
          actions.setIntoFiles(isTicked).catch(on.onUnexpectedError);
        }}
      />
      {isIntoFiles && <div class="detail">{strings.marksIntoFilesText}</div>}
      {steps !== null ? (
        <>
          <div class="text">
            {steps === 0 ? strings.selectsReading : strings.count('selectsSteps', steps)}
          </div>
          <Buttons>
            <Button
              on={on}
              kind="quiet"
              label={strings.cancel}
              press={() => {
                actions.cancelSelects();
              }}
            />
          </Buttons>
        </>
      ) : (
        link !== null &&
        folder !== null && (
          <>
            <Button
              on={on}
              kind="cta"
              wide
              label={strings.getSelects}
              press={() => actions.writeSelects()}
            />
            <Button
              on={on}
              wide
              label={strings.previewSelects}
              press={() => actions.showSelects()}
            />
          </>
        )
      )}
      {result && <Summary {...{ strings, result }} />}
      <Undo {...{ context, selects }} />
      {result && <Lists {...{ strings, result }} />}
    </>
  );
}

function LinkChoice({
  context,
  link,
  now,
}: {
  readonly context: Context;
  readonly link: SelectsLink | null;
  readonly now: number;
}): VNode {
  const { strings, on } = context;
  const [isLoading, setLoading] = useState(false);
  return (
    <Control
      class="choice"
      on={on}
      openMenu={(anchor) => {
        setLoading(true);
        openLinks(context, anchor, link, now)
          .catch(on.onUnexpectedError)
          .finally(() => {
            setLoading(false);
          });
      }}
    >
      <div class="to-word">{strings.selectsLink}</div>
      <div class="to-name">
        {isLoading ? strings.selectsReading : (link?.name ?? strings.chooseLink)}
      </div>
      <Icon name="down" />
    </Control>
  );
}

/** The user's links, those with the newest answers first. */
async function openLinks(
  context: Context,
  anchor: HTMLElement,
  chosen: SelectsLink | null,
  now: number,
): Promise<void> {
  const { strings, actions } = context;
  const [links, answered] = await Promise.all([actions.shareLinks(null), actions.answeredLinks()]);
  const sorted = [...links].sort(
    (one, other) => (answered.get(other.id) ?? 0) - (answered.get(one.id) ?? 0),
  );
  openMenu(
    context,
    anchor,
    sorted.length === 0
      ? [{ label: strings.noLinks, press: () => undefined }]
      : sorted.map(({ id, name, expires }) => {
          const at = answered.get(id);
          return {
            label: at === undefined ? name : `${name} · ${shortTime(strings, at, now)}`,
            isChosen: id === chosen?.id,
            press: () => actions.chooseSelectsLink({ id, name, expires }),
          };
        }),
  );
}

interface ResultProps {
  readonly strings: Translations;
  readonly result: SelectsResult;
}

/** What came of it, in numbers. */
function Summary({ strings, result }: ResultProps): VNode {
  const { kind, total, found, changed, same, kept, stopped } = result;
  const changedText = {
    shown: strings.count('selectsWouldChange', changed.length),
    written: strings.count('selectsChanged', changed.length),
    undone: strings.count('selectsUndone', changed.length),
  }[kind];
  return (
    <>
      {kind !== 'undone' && (
        <div class="text">
          {total === 0
            ? strings.noSelects
            : strings.fill('selectsFound', {
                found: strings.number(found),
                total: strings.number(total),
              })}
        </div>
      )}
      {(kind === 'undone' || total > 0) && <div class="text">{changedText}</div>}
      {same > 0 && <div class="detail">{strings.count('selectsSame', same)}</div>}
      {kept > 0 && <div class="detail">{strings.count('selectsKept', kept)}</div>}
      {stopped === 'cancelled' && <div class="detail">{strings.selectsCancelled}</div>}
      {stopped !== null && stopped !== 'cancelled' && (
        <ErrorNotice strings={strings} error={stopped} />
      )}
    </>
  );
}

/** The files that need a look. */
function Lists({ strings, result }: ResultProps): VNode {
  const { kind, changed, missing, ambiguous, failed } = result;
  const reasons = [...new Set(failed.map(({ reason }) => reason))];
  return (
    <>
      {kind === 'shown' && <Names title={strings.selectsFiles} names={changed} />}
      <Names title={strings.selectsMissing} names={missing} />
      <Names title={strings.selectsAmbiguous} names={ambiguous} />
      {reasons.map((reason) => (
        <Names
          key={reason}
          title={reasonText(strings, reason)}
          names={failed.filter((one) => one.reason === reason).map(({ name }) => name)}
        />
      ))}
    </>
  );
}

function Names({
  title,
  names,
}: {
  readonly title: string;
  readonly names: readonly string[];
}): VNode | null {
  return names.length === 0 ? null : (
    <>
      <div class="sheet-title">{`${title} (${names.length})`}</div>
      {names.slice(0, MAX_NAMES).map((name, index) => (
        <FileName key={`${name} ${index}`} name={name} class="detail" />
      ))}
      {names.length > MAX_NAMES && <div class="detail">…</div>}
    </>
  );
}

function reasonText(strings: Translations, reason: FailureReason): string {
  return {
    unreadable: strings.selectsUnreadable,
    refused: strings.selectsRefused,
    full: strings.selectsFull,
    'unknown-xmp': strings.selectsUnknownXmp,
    changed: strings.selectsChangedSince,
  }[reason];
}

function Undo({
  context,
  selects: { undoable, steps },
}: {
  readonly context: Context;
  readonly selects: SelectsState;
}): VNode | null {
  const { strings, actions, on } = context;
  return undoable === 0 || steps !== null ? null : (
    <Button
      on={on}
      wide
      label={strings.count('undoSelects', undoable)}
      press={() => actions.undoSelects()}
    />
  );
}
