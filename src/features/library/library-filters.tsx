import type { VNode } from 'preact';
import type { ProjectRef } from '../../api/project.js';
import { Control, Icon, IconButton, VisuallyHidden } from '../../ui/controls.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { openMenu } from '../../ui/menu-layer.js';
import {
  LIBRARY_KINDS,
  LIBRARY_ORDERS,
  type LibraryKind,
  type LibraryOrder,
} from './library-query.js';
import type { Props, State } from './panel.js';

/** What is listed: one control for each filter. */
export function LibraryFilters({ context, state }: Props): VNode {
  const { strings, actions, on } = context;
  const { query } = state.library;
  const kinds = kindWords(strings);
  return (
    <div class="filters">
      <Filter
        {...{ context }}
        name={strings.fileType}
        none={strings.allKinds}
        options={LIBRARY_KINDS.map((value) => ({ value, label: kinds[value] }))}
        value={query.kind}
        choose={(kind) => {
          actions.changeLibrary({ kind });
        }}
      />
      <Filter
        {...{ context }}
        name={strings.project}
        none={strings.allProjects}
        options={projectsIn(state).map(({ id, name }) => ({ value: id, label: name }))}
        value={query.project?.id ?? null}
        choose={(id) => {
          const project = projectsIn(state).find((one) => one.id === id) ?? null;
          actions.changeLibrary({ project });
        }}
      />
      <Control
        class={query.isApproved ? 'filter active' : 'filter'}
        on={on}
        press={() => {
          actions.changeLibrary({ isApproved: !query.isApproved });
        }}
      >
        <div class="filter-name">{strings.approvedOnly}</div>
        {query.isApproved && <VisuallyHidden text={strings.selected} />}
      </Control>
      <Filter
        {...{ context }}
        name={strings.myFiles}
        none={strings.myFiles}
        options={[{ value: 'all', label: strings.everyonesFiles }]}
        value={query.isMine ? null : 'all'}
        choose={(whose) => {
          actions.changeLibrary({ isMine: whose === null });
        }}
      />
    </div>
  );
}

/** Opens the menu of orders. */
export function SortButton({ context, state }: Props): VNode {
  const { strings, actions, on } = context;
  const orders = orderWords(strings);
  return (
    <IconButton
      on={on}
      icon="sort"
      label={strings.sort}
      openMenu={(anchor) => {
        openMenu(
          context,
          anchor,
          LIBRARY_ORDERS.map((order) => ({
            label: orders[order],
            isChosen: order === state.library.query.order,
            press: () => {
              actions.changeLibrary({ order });
            },
          })),
        );
      }}
    />
  );
}

/** One filter: a menu of what it can be, and of what it is without. */
function Filter<Value extends string>({
  context,
  name,
  none,
  options,
  value,
  choose,
}: Pick<Props, 'context'> & {
  readonly name: string;
  /** What it is called in the menu that nothing is left out. */
  readonly none: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value | null;
  readonly choose: (value: Value | null) => void;
}): VNode {
  const chosen = options.find((option) => option.value === value);
  return (
    <Control
      class={chosen ? 'filter active' : 'filter'}
      on={context.on}
      openMenu={(anchor) => {
        const all = [{ value: null, label: none }, ...options];
        openMenu(
          context,
          anchor,
          all.map((option) => ({
            label: option.label,
            isChosen: option.value === (chosen?.value ?? null),
            press: () => {
              choose(option.value);
            },
          })),
        );
      }}
    >
      <div class="filter-name">{chosen?.label ?? name}</div>
      <Icon name="down" />
    </Control>
  );
}

/** The projects that are known, those of the list of destinations first. */
function projectsIn({ library, destinations }: State): readonly ProjectRef[] {
  const { project } = library.query;
  const all = [...destinations.projects, ...library.projects, ...(project ? [project] : [])];
  return [...new Map(all.map((one) => [one.id, one])).values()];
}

function kindWords(strings: Translations): Readonly<Record<LibraryKind, string>> {
  return {
    image: strings.kindImage,
    document: strings.kindDocument,
    video: strings.kindVideo,
    other: strings.kindOther,
  };
}

function orderWords(strings: Translations): Readonly<Record<LibraryOrder, string>> {
  return {
    'captured-desc': strings.orderCapturedLast,
    captured: strings.orderCapturedFirst,
    'uploaded-desc': strings.orderUploadedLast,
    uploaded: strings.orderUploadedFirst,
    name: strings.orderNameFirst,
    'name-desc': strings.orderNameLast,
  };
}
