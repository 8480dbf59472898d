import type { VNode } from 'preact';
import type { Host } from '../host/host.js';
import type { Clock } from '../util/clock.js';
import type { CwError } from '../util/errors.js';
import type { PressHandler } from './controls.js';
import type { Translations } from './i18n/translations.js';

/**
 * What a feature brings to the panel: the state that views show, and what it adds to the context of views. A view names
 * the parts that it needs. The panel has the parts of all features.
 */
export interface PanelPart {
  readonly state: object;
  readonly context: object;
}

/** Where the panel reads a value of its state. Without `subscribe` it changes together with other values. */
export interface Source<T> {
  get(): T;
  subscribe?(listener: () => void): () => void;
}

/** A part as its feature gives it to the panel. */
export interface PartSources<P extends PanelPart> {
  readonly state: { readonly [Name in keyof P['state']]: Source<P['state'][Name]> };
  readonly context: P['context'];
}

/** The part of the host that views use. */
export type PanelHost = Pick<Host, 'info' | 'copyText'>;

/** Transient view state: opened by the user, lost with the panel. */
export interface ViewUi {
  /** Whether Disconnect was chosen while photos are not uploaded. */
  readonly isDisconnecting: boolean;
  readonly help: 'folded' | 'open' | 'diagnostics';
  /** The outcome of the last press: an error or a confirmation. */
  readonly outcome: { readonly title: string; readonly error: CwError | null } | null;
  /** Ids at the service of the photos chosen for a link; null while none are being chosen. */
  readonly selection: readonly string[] | null;
  /** What waits for a destination during the sign-in for its permission. */
  readonly choosing: SelectionMode | null;
}

/** What covers the list or a part of it. Views open and close it, and the panel draws it. */
export interface Covers<P extends PanelPart> {
  /** A menu or a list over the panel. */
  readonly layer: Layer<P> | null;
  /** What takes the place of the list; `automatic` for all that uploads without a press. */
  readonly sheet: 'automatic' | Sheet<P> | null;
}

export type Sheet<P extends PanelPart> = (props: ViewProps<P>) => VNode;

/** New photos, files of the watched folder, or a photo on the list by its id. */
export type SelectionMode =
  | { readonly for: 'new photos' }
  | { readonly for: 'folder' }
  | { readonly for: 'photo'; readonly id: string };

export interface Layer<P extends PanelPart> {
  /** The control that opened it: the layer is next to it, and gives the focus back to it. */
  readonly anchor: HTMLElement;
  /** How wide: as its content, or as the panel. */
  readonly width: 'content' | 'panel';
  readonly content: (state: ViewState<P>) => VNode;
}

/** The dependencies of every view, and those that the features add. */
export type ViewContext<P extends PanelPart = PanelPart> = P['context'] & {
  readonly strings: Translations;
  readonly clock: Clock;
  readonly host: PanelHost;
  readonly ui: ViewUi;
  /** Changes the view state, and redraws. */
  readonly change: (ui: Partial<ViewUi & Covers<P>>) => void;
  /** For controls: errors are shown at the bottom of the panel until the next press. */
  readonly on: PressHandler;
};

export type ViewState<P extends PanelPart> = P['state'] & {
  /** Wall-clock time in milliseconds. */
  readonly now: number;
};

/** The props of every view. */
export interface ViewProps<P extends PanelPart> {
  readonly context: ViewContext<P>;
  readonly state: ViewState<P>;
}
