import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { isStorageTakenOver } from '../util/storage-ownership.js';
import { Button } from '../ui/controls.js';
import type { PanelProps, PanelState } from './view.js';
import { AccountSwitchNotice, ApprovedNotice } from '../features/sign-in/index.js';
import { ErrorNotice } from '../ui/notice.js';
import { Automatic } from './automatic.js';
import { FeedbackLine } from '../features/feedback/index.js';
import { LibraryLine } from '../features/library/index.js';
import { FolderNotice } from '../features/folder/index.js';
import { PlacedFilesLine } from '../features/placed-files/index.js';
import { OnSaveLine } from '../features/on-save/index.js';
import {
  BatchFailures,
  BatchLine,
  DocumentCard,
  useExportTitle,
} from '../features/documents/index.js';
import { Destination } from '../features/destinations/index.js';
import { PlacingLine } from '../features/placing/index.js';
import { SelectsLine } from '../features/selects/index.js';
import { EarlierUploads } from '../features/history/index.js';
import { Header } from './header.js';
import {
  AddingLine,
  ConnectionNotice,
  DisconnectQuestion,
  DocumentNotice,
  Duplicates,
  NotAddedNotice,
  OpenQuestion,
  PermissionNotice,
  PhotoList,
  Problems,
  ProgressLine,
  SelectionLine,
  StorageNotice,
  UndoLine,
  VersionsNotice,
  pendingOf,
  storageTroubleOf,
} from '../features/uploads/index.js';

/**
 * The view when connected: the photos, what can be done with them, and how far they are. What is at the top stays where
 * it is, whatever is said below it.
 */
export function Connected({ context, state }: PanelProps): VNode {
  const { strings, ui } = context;
  const trouble = storageTroubleOf(state);
  const header = <Header {...{ context, state }} />;
  // When another instance owns the list, nothing can be done here, and the list is out of date.
  if (isStorageTakenOver(trouble) && trouble) {
    return (
      <div class="view fixed">
        {header}
        <div class="scroll">
          <ErrorNotice strings={strings} error={trouble} />
        </div>
      </div>
    );
  }
  if (ui.isDisconnecting && pendingOf(state) > 0) {
    return (
      <div class="view fixed">
        {header}
        <div class="scroll">
          <DisconnectQuestion {...{ context, state }} />
        </div>
      </div>
    );
  }
  const sheet =
    ui.sheet === 'automatic' ? (
      <Automatic {...{ context, state }} />
    ) : (
      (ui.sheet?.({ context, state }) ?? null)
    );
  return (
    <div class="view fixed">
      {header}
      {
        // The sheet that needed the permission is shown again, and has no other reason why it is missing.
        sheet !== null && state.isForAnother && state.signIn.kind === 'ended' && (
          <div class="top">
            <AccountSwitchNotice {...{ context, state }} />
          </div>
        )
      }
      {sheet ?? <Work {...{ context, state }} />}
    </div>
  );
}

function Work({ context, state }: PanelProps): VNode {
  const { strings, actions, on } = context;
  const { selection } = context.ui;
  const scroller = useRef<HTMLElement | null>(null);
  const exported = useExportTitle(strings);
  const newPhoto = useNewPhoto(state.photos);
  const scrollerOf = (): HTMLElement | null => scroller.current;
  const { progress, justApproved, uploadState } = state;
  const isExporting = state.batch.total + state.batch.failures.length > 0;
  const isEmpty = progress.total === 0 && !justApproved && !uploadState.isUnread && !isExporting;
  return (
    <>
      <div class="top">
        <DocumentCard
          {...{ context, state }}
          onUpload={(offer, upload) => {
            exported.note(offer);
            return newPhoto.follow(upload);
          }}
        />
        <FeedbackLine {...{ context, state }} />
        <PlacedFilesLine {...{ context, state }} />
        <SelectsLine {...{ context, state }} />
        <OnSaveLine {...{ context, state }} />
        <PlacingLine {...{ context, state }} />
        <Destination {...{ context, state }} />
        <div class="add">
          <Button
            on={on}
            kind="cta"
            wide
            focusOrder={3}
            label={strings.addPhotos}
            press={() => actions.addPhotos()}
          />
        </div>
        <LibraryLine {...{ context, state }} />
      </div>
      {selection ? (
        <SelectionLine {...{ context, state, selection }} />
      ) : (
        <ProgressLine {...{ context, state }} />
      )}
      <div
        class="scroll"
        ref={(element: unknown) => {
          scroller.current = element as HTMLElement | null;
        }}
      >
        <OpenQuestion {...{ context, state }} />
        <AccountSwitchNotice {...{ context, state }} />
        <StorageNotice {...{ context, state }} />
        <FolderNotice {...{ context, state }} />
        <ConnectionNotice {...{ context, state }} />
        <PermissionNotice {...{ context, state }} />
        <ApprovedNotice {...{ context, state }} />
        <DocumentNotice {...{ context, state }} title={exported.title()} />
        <BatchFailures {...{ context, state }} />
        <BatchLine {...{ context, state }} />
        <AddingLine {...{ context, state }} />
        <NotAddedNotice {...{ context, state }} />
        <Problems {...{ context, state }} />
        <Duplicates {...{ context, state }} />
        <VersionsNotice {...{ context, state }} />
        {isEmpty && !selection && <div class="empty">{strings.noPhotos}</div>}
        <PhotoList {...{ context, state }} scroller={scrollerOf} shownId={newPhoto.id} />
        <EarlierUploads {...{ context, state }} scroller={scrollerOf} />
      </div>
      <UndoLine {...{ context, state }} />
    </>
  );
}

/** Finds the photo that an upload of the open document adds to the list. */
function useNewPhoto(photos: PanelState['photos']): {
  readonly id: string | null;
  readonly follow: (upload: () => Promise<void>) => Promise<void>;
} {
  /** The photos before the upload; null when none was begun, or its photo was found. */
  const before = useRef<ReadonlySet<string> | null>(null);
  const found = useRef<string | null>(null);
  const known = before.current;
  const added = known && photos.find(({ record }) => !known.has(record.id));
  if (added) {
    before.current = null;
    found.current = added.record.id;
  }
  return {
    id: found.current,
    follow: async (upload) => {
      before.current = new Set(photos.map(({ record }) => record.id));
      try {
        await upload();
      } catch (error) {
        before.current = null;
        throw error;
      }
    },
  };
}
