import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ProjectRef } from '../../api/project.js';
import { PROJECT_SCOPE } from '../../account/service-access.js';
import { comparable } from '../../util/comparable.js';
import { Menu, type MenuEntry } from '../../ui/menu-layer.js';
import {
  Button,
  Control,
  Icon,
  IconButton,
  TextField,
  type PressHandler,
} from '../../ui/controls.js';
import type { Context, Props, State } from './panel.js';
import type { SelectionMode } from '../../ui/view.js';
import { canShare, openShareSheet } from '../links/index.js';

/** Up to this many projects are listed; the others are found by their names. */
const MAX_LISTED = 50;

/**
 * The destination of new photos, with a button that shares it. Absent if the service has no projects. Until that is known
 * it is there, so that the buttons below it keep their places.
 */
export function Destination({
  context,
  state,
  isAlone = false,
}: Props & {
  /** Without the button that shares it. */
  readonly isAlone?: boolean;
}): VNode | null {
  const { strings, actions, on } = context;
  const { availability, selected } = state.destinations;
  const own = useChoosingAgain(context, state);
  if (availability === 'unsupported') {
    return null;
  }
  return (
    <div
      class="destination"
      ref={(element: unknown) => {
        own.current = element as HTMLElement | null;
      }}
    >
      <Control
        class="to"
        on={on}
        openMenu={(anchor) => {
          void actions.loadDestinations().catch(on.onUnexpectedError);
          openDestinations(context, anchor, selected, { for: 'new photos' });
        }}
      >
        <div class="to-word">{strings.to}</div>
        <div class="to-name">{selected?.name ?? strings.noProject}</div>
        <Icon name="down" />
      </Control>
      {selected && !isAlone && canShare(state) && (
        <IconButton
          on={on}
          icon="link"
          label={strings.share}
          press={() => {
            openShareSheet(context, {
              target: { project: selected.id },
              name: selected.name,
            });
          }}
        />
      )}
    </div>
  );
}

/**
 * Opens the list again after the sign-in for its permission, with what the user was doing.
 * @returns the element next to which it opens
 */
function useChoosingAgain(
  context: Context,
  { destinations: { availability, selected }, photos }: State,
): { current: HTMLElement | null } {
  const { ui, change } = context;
  const own = useRef<HTMLElement | null>(null);
  const { choosing } = ui;
  const isReady = availability === 'ready' && choosing !== null;
  useLayoutEffect(() => {
    const control = own.current?.querySelector('.to') as HTMLElement | null;
    if (!isReady || control === null) {
      return;
    }
    change({ choosing: null });
    if (choosing.for === 'folder') {
      return;
    }
    const record =
      choosing.for === 'photo'
        ? photos.find(({ record: { id } }) => id === choosing.id)?.record
        : null;
    // The photo may have been sent in the meantime.
    if (record !== undefined) {
      openDestinations(context, control, record ? record.project : selected, choosing);
    }
  }, [isReady]);
  return own;
}

/** Opens the list of projects next to a control. */
export function openDestinations(
  context: Context,
  anchor: HTMLElement,
  selected: ProjectRef | null,
  choosing: SelectionMode,
): void {
  const { actions, uploads } = context;
  const choose = (project: ProjectRef | null): void | Promise<void> => {
    switch (choosing.for) {
      case 'photo':
        return uploads.setDestination([choosing.id], project);
      case 'folder':
        return actions.setFolderProject(project);
      case 'new photos':
        return actions.selectDestination(project);
    }
  };
  const content = (state: State): VNode =>
    state.destinations.availability === 'needs-permission' ? (
      <Permission {...{ context, choosing }} />
    ) : (
      <Projects {...{ context, state, selected, choose }} />
    );
  context.change({ layer: { anchor, width: 'panel', content } });
}

function Permission({
  context: { strings, signIn, change, on },
  choosing,
}: {
  readonly context: Context;
  readonly choosing: SelectionMode;
}): VNode {
  return (
    <div class="permission">
      <div class="text">{strings.projectsPermission}</div>
      <Button
        on={on}
        kind="cta"
        wide
        label={strings.openBrowser}
        press={() => {
          change({ choosing });
          signIn.startForScope(PROJECT_SCOPE);
        }}
      />
    </div>
  );
}

function Projects({
  context,
  state,
  selected,
  choose,
}: Props & {
  readonly selected: ProjectRef | null;
  readonly choose: (project: ProjectRef | null) => void | Promise<void>;
}): VNode {
  const { strings, actions, change, on } = context;
  const { availability, projects, error } = state.destinations;
  const isLoading = state.destinations.isLoading || (availability === 'unknown' && !error);
  const [typed, setTyped] = useState('');
  const [isNaming, setNaming] = useState(false);
  const name = typed.trim();
  const wanted = isNaming ? '' : comparable(name);
  const found = projects.filter((project) => comparable(project.name).includes(wanted));
  const isTaken = projects.some((project) => comparable(project.name) === comparable(name));
  /** Typing a name needs the list to stay. */
  const stays: PressHandler = { ...on, beforePress: () => undefined };
  const create = async (): Promise<void> => {
    await choose(await actions.createProject(name));
  };
  const createByKey = (): void => {
    if (name !== '') {
      on.beforePress();
      void create().catch(on.onUnexpectedError);
    }
  };
  const entries: readonly MenuEntry[] = isNaming
    ? []
    : [
        ...found.slice(0, MAX_LISTED).map((project) => ({
          label: project.name,
          ...(project.photos === null ? {} : { detail: strings.number(project.photos) }),
          isChosen: project.id === selected?.id,
          press: () => choose({ id: project.id, name: project.name }),
        })),
        ...(wanted === ''
          ? [{ label: strings.noProject, isChosen: selected === null, press: () => choose(null) }]
          : []),
      ];
  return (
    <div class="projects">
      <TextField
        key={String(isNaming)}
        class="search"
        autofocus
        name={isNaming ? strings.projectName : strings.searchProjects}
        value={typed}
        onText={setTyped}
        onEnter={() => {
          const [only] = found;
          if (isNaming || found.length === 0) {
            createByKey();
          } else if (wanted !== '' && only && found.length === 1) {
            change({ layer: null });
            void Promise.resolve(choose({ id: only.id, name: only.name })).catch(
              on.onUnexpectedError,
            );
          }
        }}
      />
      <div class="project-list">
        <Menu context={context} entries={entries} />
      </div>
      {name === '' && !isNaming ? (
        <Control
          class="entry new-project"
          on={stays}
          press={() => {
            setNaming(true);
          }}
        >
          <div class="entry-label">{strings.newProject}</div>
        </Control>
      ) : (
        !isTaken &&
        name !== '' && (
          <Control class="entry new-project" on={on} press={create}>
            <div class="entry-label">{strings.fill('createProject', { name })}</div>
          </Control>
        )
      )}
      {/* Last: what comes and goes by itself moves nothing that can be pressed. */}
      {error && <div class="detail">{strings.errors[error.code]}</div>}
      {isLoading && projects.length === 0 && <div class="detail">{strings.loading}</div>}
    </div>
  );
}
