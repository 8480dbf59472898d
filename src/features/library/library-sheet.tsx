import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { WORKSPACE_SCOPE } from '../../account/service-access.js';
import {
  Button,
  Buttons,
  FileName,
  SheetHead,
  TextField,
  type KeyPress,
} from '../../ui/controls.js';
import { ErrorNotice, Notice } from '../../ui/notice.js';
import { FileDetails } from './file-details.js';
import { LibraryFilters, SortButton } from './library-filters.js';
import { LibraryGrid } from './library-grid.js';
import { isLimited } from './library-query.js';
import type { LibraryFile } from './library-file.js';
import { PlaceButton, placeFile } from './place-buttons.js';
import { PlacingLine } from '../placing/index.js';
import { AllowInBrowser } from '../sign-in/index.js';
import type { Context, Props } from './panel.js';

/** Opens the files of the workspace. */
export function openLibrary({ change }: Pick<Context, 'change'>): void {
  change({ sheet: (props) => <LibrarySheet {...props} /> });
}

/** Space beside the content of the sheet, as the style sheet has it. CSS pixels. */
const PADDING_PX = 24;
const NARROWEST_PX = 230;

/** The files of the workspace. They take the place of the list. */
function LibrarySheet({ context, state }: Props): VNode {
  const { strings, actions, change, on } = context;
  const { access, query } = state.library;
  const scroller = useRef<HTMLElement | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [shown, setShown] = useState<LibraryFile | null>(null);
  useLayoutEffect(() => {
    actions.openLibrary();
    void actions.loadDestinations().catch(on.onUnexpectedError);
    return () => {
      actions.closeLibrary();
    };
  }, []);
  const file = state.library.files.find(({ id }) => id === chosen);
  const isPermitted = access !== 'needs-permission';
  const onEscape = (event: KeyPress, press: () => void): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      press();
    }
  };
  const close = (): void => {
    change({ sheet: null });
  };
  if (shown) {
    const back = (): void => {
      setShown(null);
    };
    const width = scroller.current?.clientWidth ?? NARROWEST_PX;
    return (
      <div
        class="sheet scroll"
        onKeyDown={(event: KeyPress) => {
          onEscape(event, back);
        }}
      >
        <FileDetails
          {...{ context, state, back }}
          file={state.library.files.find(({ id }) => id === shown.id) ?? shown}
          width={width - PADDING_PX}
        />
      </div>
    );
  }
  return (
    <div
      class="library"
      onKeyDown={(event: KeyPress) => {
        onEscape(event, () => {
          if (query.text === '') {
            close();
          } else {
            actions.changeLibrary({ text: '' });
          }
        });
      }}
    >
      <div class="library-head">
        <SheetHead on={on} title={strings.files} label={strings.done} press={close} />
        {isPermitted && (
          <div class="library-find">
            <TextField
              class="library-search"
              name={strings.searchFiles}
              value={query.text}
              autofocus
              onText={(text) => {
                actions.changeLibrary({ text });
              }}
            />
            <SortButton {...{ context, state }} />
          </div>
        )}
        <LibraryFilters {...{ context, state }} />
      </div>
      <div
        class="scroll library-scroll"
        ref={(element: unknown) => {
          scroller.current = element as HTMLElement | null;
        }}
      >
        {isPermitted ? (
          <Files
            {...{ context, state, chosen }}
            scroller={() => scroller.current}
            choose={({ id }) => {
              setChosen(id);
            }}
            showDetails={setShown}
            place={(file) => {
              placeFile(context, file);
            }}
          />
        ) : (
          <Permission {...{ context, state }} />
        )}
      </div>
      <PlacingLine {...{ context, state }} />
      {file && (
        <div class="library-bar">
          <div class="library-bar-text">
            <FileName name={file.name} class="library-bar-name" />
            <div class="library-bar-detail">{strings.size(file.size)}</div>
          </div>
          <Buttons>
            <PlaceButton {...{ context, state, file }} kind="action" />
            <Button
              on={on}
              kind="action"
              label={strings.details}
              press={() => {
                setShown(file);
              }}
            />
          </Buttons>
        </div>
      )}
    </div>
  );
}

function Files({
  context,
  state,
  ...grid
}: Props & Omit<Parameters<typeof LibraryGrid>[0], 'context' | 'state'>): VNode {
  const { strings, actions, on } = context;
  const { files, hasMore, isLoading, error, query } = state.library;
  const isOffline = state.queue.kind === 'waiting';
  const isEmpty = files.length === 0 && !hasMore && !isLoading && !error;
  return (
    <>
      {isOffline && (
        <Notice mark="warning" title={strings.offlineTitle} sentences={[strings.filesOffline]} />
      )}
      <LibraryGrid {...{ context, state }} {...grid} />
      {error && !isOffline && (
        <ErrorNotice {...{ strings, error }}>
          <Button
            on={on}
            kind="action"
            label={strings.tryAgain}
            press={() => {
              actions.loadMoreFiles();
            }}
          />
        </ErrorNotice>
      )}
      {isLoading && !isOffline && <div class="empty">{strings.loading}</div>}
      {isEmpty && (
        <div class="empty">{isLimited(query) ? strings.noFilesMatch : strings.noFilesYet}</div>
      )}
      {isEmpty && isLimited(query) && (
        <div class="library-reset">
          <Button
            on={on}
            kind="action"
            label={strings.clearFilters}
            press={() => {
              actions.changeLibrary({ text: '', project: null, kind: null, isApproved: false });
            }}
          />
        </div>
      )}
    </>
  );
}

function Permission({ context, state }: Props): VNode | null {
  const { allFilesPermission, filesPermission } = context.strings;
  const { neededScope } = state.library;
  const words = neededScope === WORKSPACE_SCOPE ? allFilesPermission : filesPermission;
  return neededScope === null ? null : (
    <AllowInBrowser {...{ context, words }} scope={neededScope} />
  );
}
