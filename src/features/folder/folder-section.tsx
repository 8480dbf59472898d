import type { VNode } from 'preact';
import { UPLOADED_FOLDER, type FolderState, type WatchedFolder } from './folder-watch.js';
import { shortTime } from '../../ui/local-time.js';
import { Button, Buttons, Control, FileName, Icon } from '../../ui/controls.js';
import type { Props } from './panel.js';
import { ErrorNotice, Notice } from '../../ui/notice.js';
import { openDestinations } from '../destinations/index.js';

/** Shows why files of the watched folder cannot be taken. */
export function FolderNotice({ context, state }: Props): VNode | null {
  const { strings, actions, on } = context;
  const error = state.folder?.folder?.error ?? null;
  return error === null ? null : (
    <ErrorNotice {...{ strings, error }} mark="warning" title={strings.folderTitle}>
      {error.code === 'CW-705' && (
        <Buttons>
          <Button
            on={on}
            kind="action"
            label={strings.chooseFolder}
            press={() => actions.chooseFolder()}
          />
        </Buttons>
      )}
    </ErrorNotice>
  );
}

/** The choice of the watched folder, and what becomes of its files. */
export function FolderSection({
  context,
  state,
  folder: { folder, isChoosing },
}: Props & { readonly folder: FolderState }): VNode {
  const { strings, actions, on } = context;
  const mustChoose = folder === null || folder.isForeign || folder.error?.code === 'CW-705';
  return (
    <>
      <div class="sheet-title">{strings.folderTitle}</div>
      <div class="text">{strings.folderText}</div>
      {folder && <Watched {...{ context, state, folder }} />}
      {mustChoose && (
        <Button
          on={on}
          kind="cta"
          wide
          label={strings.chooseFolder}
          press={() => actions.chooseFolder()}
        />
      )}
      {folder && (
        <Button on={on} wide label={strings.stopFolder} press={() => actions.stopFolder()} />
      )}
      {isChoosing && <div class="detail">{strings.folderReading}</div>}
    </>
  );
}

function Watched({ context, state, folder }: Props & { readonly folder: WatchedFolder }): VNode {
  const { strings, actions, on } = context;
  const { name, project, movesUploaded, error, isForeign, takenToday, last, waitsFor, half } =
    folder;
  const { availability } = state.destinations;
  return (
    <>
      <FileName name={name} class="sheet-name" />
      {isForeign && <Notice mark="warning" sentences={[strings.folderForeign]} />}
      {error && <ErrorNotice strings={strings} error={error} />}
      {availability !== 'unknown' && availability !== 'unsupported' && !isForeign && (
        <Control
          class="choice"
          on={on}
          openMenu={(anchor) => {
            void actions.loadDestinations().catch(on.onUnexpectedError);
            openDestinations(context, anchor, project, { for: 'folder' });
          }}
        >
          <div class="to-word">{strings.to}</div>
          <div class="to-name">{project?.name ?? strings.noProject}</div>
          <Icon name="down" />
        </Control>
      )}
      <Control
        class={movesUploaded ? 'tick ticked' : 'tick'}
        on={on}
        press={() => actions.setFolderMoves(!movesUploaded)}
      >
        <div class="check">{movesUploaded && <Icon name="done" />}</div>
        <div class="entry-label">{strings.fill('folderMoves', { name: UPLOADED_FOLDER })}</div>
      </Control>
      {waitsFor !== null && (
        <div class="detail">{strings.fill('folderWaits', { name: waitsFor })}</div>
      )}
      {half !== null && <div class="detail">{strings.fill('folderHalf', { name: half })}</div>}
      {last && (
        <div class="detail">
          {strings.fill('folderLast', {
            name: last.name,
            time: shortTime(strings, last.at, state.now),
          })}
        </div>
      )}
      {last && <div class="detail">{strings.count('folderToday', takenToday)}</div>}
    </>
  );
}
